"""How people greet, thank, praise, agree, encourage and ask: patterns over bare sentences.

Lists of plain regular expressions, matched from the start of a sentence unless said otherwise.
General English only; nothing here comes from a benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memcore.nlp.language.words import lexicon


def _opening(patterns: Iterable[str]) -> re.Pattern[str]:
    """A sentence that begins with one of the patterns."""
    return re.compile("^(?:" + "|".join(patterns) + ")", re.IGNORECASE)


_WHOLE_EXCLAMATIONS = (
    "same|me too|me neither|same here|likewise|ditto|agreed|exactly|absolutely|totally|definitely"
    "|for sure|sure|indeed"
    "|of course|yes|yeah|yep|no|nope|ok|okay|wow|haha\\w*|lol|omg|aw+|oh|hmm+|ah|ooh|cool|nice|great"
    "|awesome|amazing"
    "|sounds good|got it|i see|right|true|deal|done|you too|same to you|you got this|we got this|who knows"
    "|fingers crossed|long time no see|time flies|so true|guess what|you bet"
)
_DEGREE = r"(?:totally |completely |absolutely |definitely |so |really |fully |couldn't |do )?"
_PICTURE = "(?:pic|picture|photo|snap|snapshot|pics|photos|pictures|image|video|link|look|glimpse)"

SMALL_TALK = _opening(
    (
        # greetings and goodbyes
        r"(?:hey|hi|hello|hiya|howdy|greetings|good (?:morning|evening|afternoon|night)|welcome|bye"
        r"|goodbye)\b.{0,40}$",
        r"(?:take care|see (?:you|ya)|talk (?:to you )?(?:soon|later)|catch (?:you|ya)|ttyl)\b",
        r"stay (?:safe|tuned|strong|positive|in touch)\b",
        r"(?:have (?:a|an|fun|the best)|enjoy|sleep well|sweet dreams)\b",
        r"happy (?:birthday|new|holidays|to help|to hear)\b",
        r"(?:(?:it is|it's|it was|was|so|great|good|nice|lovely|always|glad) )+(?:to )?"
        r"(?:see|hear|hearing|seeing|meet|talk|talking|chat|chatting|catch|catching"
        r"|meeting)\b.{0,40}\b(?:you|up)\b",
        r"i (?:have to|need to|should|gotta|must) (?:go|run|get going|head off|dash)(?: now| soon| already)?"
        r"(?:[\s.!]*$|,? (?:but|see|talk|so)\b|, )",
        r"i am (?:doing|feeling) (?:ok|okay|well|good|great|fine|all ?right)[,.! -]*"
        r"(?:(?:cheers|thanks|thank you|thx)\b.*)?$",
        # thanks and wishes
        r"(?:thanks|thank you|thx|ty|many thanks|much appreciated|appreciate)\b",
        r"i (?:really |truly |do |so |also |will always )*(?:appreciate|thank)\b.*\b(?:you|your|it|that"
        r"|this)\b",
        r"i (?:just |really |also )*want(?:ed)? to (?:say |give )?(?:a )?(?:big )?"
        r"(?:thank|thanks|express my|wish you)\b",
        r"(?:congrats|congratulations|good luck|best of luck|best wishes|well done|way to go|kudos|bravo"
        r"|cheers)\b",
        r"(?:good|great|nice) (?:job|work)\b",
        r"(?:wish (?:me|you)|wishing you|sending|hope you|hoping you)\b",
        # short replies
        rf"(?:{_WHOLE_EXCLAMATIONS})[\s!.,]*$",
        r"time flies\b",
        r"(?:i|we)(?:'m| am|'re| are) all set(?: now| then| with (?:the|that|this) [^.!?,]{1,40})?[\s.!]*$",
        r"my lips are sealed",
        r"(?:things|everything|it all|life) (?:is|are|has been|have been|'s been)(?: going)? (?:\w+ )?"
        r"(?:well|great|good|fine|ok|okay|busy|crazy|hectic)[\s.!]*$",
        r"(?:i|we) will (?:make sure to |be sure to |definitely )?have (?:a |an )?"
        r"(?:safe|good|great|nice|fun|awesome|amazing) (?:trip|flight|journey|time|day|evening|weekend)"
        r"[\s.!]*$",
        r"we (?:can|will|should|must) (?:all |just )?keep "
        r"(?:going|it up|doing (?:great|good|amazing|awesome) (?:stuff|things|work)|making a difference)"
        r"(?: and making a difference)?[\s.!]*$",
        r"(?:i|we) will sleep on it\b",
        r"no (?:doubts?|problem|worries|way|kidding|rush|pressure)\b",
        r"(?:maybe|perhaps) (?:i|we) (?:can|could|should|will)\b",
        r"i (?:won't|will not|would never) (?:say|tell|breathe)\b",
        # encouragement and requests
        r"(?:keep|let's|let us|lets|let me|lemme|go for|hang in|hold on|never give|remember|feel free"
        r"|please|just let me)\b",
        r"don't (?:worry|give|forget|be|hesitate|let|stop)\b",
        r"looking forward to (?:hearing|seeing (?:you|it)|it|that|your|chatting|catching|our next)\b",
        r"can't wait to (?:hear|see (?:it|them|you|your|what|how)|read (?:it|your))\b",
        r"can't wait[\s!.]*$",
        # agreement and sympathy
        rf"i {_DEGREE}(?:agree|understand|get (?:it|that|you|what)|hear you|feel (?:you|ya|the same)"
        r"|see(?=[\s!.,]*$|,| (?:what|why|how|that|your|where)\b)"
        rf"|bet|suppose)\b",
        rf"i {_DEGREE}know (?:what you|how you|the feeling|right|it|you)\b",
        r"i (?:can (?:imagine|relate|see|tell|totally)|can't (?:imagine|agree)|couldn't (?:agree|have))\b",
        r"i (?:guess so|know[\s!.]|think so|wish you|believe in you|have no doubt|knew you|don't (?:know"
        r"|mind)\W*$)",
        r"i hope (?:you|so|it|that|your|this)\b",
        r"i will (?:keep (?:you|that|it)|let you know|definitely let|be sure to|do my best|try my best"
        r"|keep in touch)\b",
        r"i will check (?:it|that|them|this) out\b",
        r"i (?:am|was) (?:here (?:for|if|to)|always here|with you|rooting|on it|in[\s!.]*$"
        r"|always (?:happy|glad) to)",
        r"i (?:am|was) glad (?:you|to hear|it|that|we|i could)\b",
        r"i (?:am|was) happy (?:for|you|to hear|to help|that you)\b",
        r"i (?:am|was) so (?:glad|happy|proud|excited) (?:you|for you|of you|to hear|that you|it)\b",
        r"i (?:am|was) (?:really |very |super )?(?:proud of you|sorry|excited for you|thrilled for you"
        r"|impressed|jealous)\b",
        # praise and exclamation
        r"(?:so|really|super|very|glad|happy|proud|excited|thrilled|stoked|love|loving|loved)\b"
        r".*\b(?:you|your|you're|you've|it|that|this|ya)\b.{0,40}$",
        r"(?:what|how|such) (?:a|an|nice|great|cool|lovely|amazing|wonderful|awesome|beautiful)\b",
        r"(?:looks|sounds|seems|feels|glad|must (?:be|have|feel)|bet|hope|wish)\b",
        r"\w+ing\b.*,? (?:sounds|looks|seems) (?:like|so|really|great|amazing|awesome|fun)\b",
        r"(?:that|this|it|those|these|they|there)(?: (?:really|must|would|does|all|just|sure|definitely"
        r"|always))* ?"
        r"(?:sounds?|looks?|seems?|makes? sense|must (?:be|have)|'s (?:so )?(?:true|right))\b",
        # pointing at something shown
        r"(?:here's to|here you go|here it is|here they are|check (?:it|this|that|them|these|out)|look at)\b",
        r"(?:take|have) a look\b",
        rf"(?:here|this|that|these|those|there)(?: (?:is|are)|'s) (?:a|an|the|my|some|one"
        rf"|another) (?:\w+ )?{_PICTURE}\b",
    )
)

_ADVERB = (
    r"(?:(?:so|really|very|pretty|quite|super|totally|absolutely|truly|just|always|all|sure|such|a|an|the"
    r"|too|indeed"
    r"|definitely|certainly|also|still|actually|extremely|incredibly) )*"
)
_JUDGEMENT = (
    "(?:" + "|".join(re.escape(w) for w in sorted(lexicon.EVALUATIVE, key=lambda w: (-len(w), w))) + ")"
)
_IT_IS = (
    r"(?:(?:that|this|it|they|these|those|which|what|all)"
    r"(?:'s|'re| is| was| are| were| has been|'s been|'ll be| will be|'d be| would be| can be| looks"
    r"| sounds| feels"
    r"| felt| looked| seems) )?"
)
_TAIL = (
    r"(?: (?:one|thing|stuff|news|idea|point|question|choice|work|job|time|way|feeling|experience|moment"
    r"|too|indeed"
    r"|though|for sure|either|as well|day|memory|memories|photo|pic|picture|deal|in life|to (?:hear|see"
    r"|know)|always"
    r"|out there|ever|anyway|enough))*"
)
REACTION = _opening(
    [rf"{_IT_IS}{_ADVERB}{_JUDGEMENT}(?: (?:and|but|,|yet) {_ADVERB}{_JUDGEMENT})*{_TAIL}[\s!.,]*$"]
)
"""Nothing but a judgement: "That's so sweet!", "It was tough but awesome."."""

PLEA_WITH_REASON = re.compile(
    r"please\b.{3,60},(?: because| since| as)?"
    r" I (?:am (?:allergic|intolerant|a|an)|can't|don't eat|don't drink)\b",
    re.IGNORECASE,
)
_VEHICLE = "(?:bus|train|ferry|plane|boat|tram|taxi|cab|car|metro|tube|subway|phone|sofa|couch|queue|toilet)"
OF_THE_MOMENT = (
    r"I am (?:just |still |currently |now |already |literally )*"
    r"(?:(?:lying|sitting|standing|crying|laughing|blushing|smiling|shaking|waiting|walking|driving|yawning|screaming"
    r"|grinning|melting|drooling|dying|listening|typing|eating)(?: (?!for|with)\w+){0,2}"
    rf"|(?:on|in) (?:a|the|my) {_VEHICLE}(?: (?:to|from|home|back)\b[\w' ]{{0,25}})?"
    r"|(?:so )?(?:dead|hungry|thirsty|sleepy|starving)"
    r"|on my way\b[\w' ]{0,30}|off to go\b[\w' ]{0,30}"
    r"|off(?: to (?:bed|work|sleep|lunch|school|class"
    r"|(?:do|have|get|make|bake|cook|grab|take|go|see|meet)\b[\w' ]{0,25}))?"
    r"|(?:about to|heading|going) (?:out|home|off|to bed|to sleep|to work|back)(?: \w+){0,2})"
)
"""What holds only while it is said: "I'm on the bus", "I'm lying down"."""
PASSING = re.compile(rf"{OF_THE_MOMENT}[\s.!]*$")

ABOUT_LISTENER = _opening(
    [
        r"(?:you|you're|you've|you'll|you'd|your|yours|u)\b",
        r"I am (?:pretty |so |quite )?sure (?!.*(?:\d|\b(?:I|me|my|we|us|our)\b|(?-i:\s[A-Z])))",
    ]
)
ECHO = re.compile(
    r"\b(?:proud of|happy for|excited for|glad for|rooting for|inspired by|admire|thank|thanks|appreciate"
    r"|grateful (?:to|for)|glad|lucky to have|believe in|support|here for|wish|miss|love|trust|agree with"
    r"|wait to (?:see|hear|meet))\s+(?:\w+\s){0,2}(?:you|your)\b"
    r"|\b(?:it|that) must(?: have|'ve) (?:been|felt) (?:(?:so|really|very|pretty|a|such|quite) )*"
    r"(?:tough|hard|difficult|amazing|great|awesome|fun|scary|nice|good|tiring|exciting|wonderful|incredible"
    r"|challenging|stressful|heartbreaking|rewarding|special)\b"
    r"|^(?!.*\b(?:I|me|my|we|us|our)\b).*\bmust(?: have|'ve) been (?:(?:so|really|very|pretty|such) )*an? "
    r"(?:\w+ )?(?:experience|feeling|moment|blast|rush|thrill|relief|time)\b",
    re.IGNORECASE,
)
"""Anywhere in a sentence: a feeling about the listener, or how something must have been for them."""

_HELP = "(?:advice|tips|help|recommendations|suggestions|ideas|information)"
_AUXILIARY = "(?:is|are|was|were|do|does|did|can|could|should|would|will|have|has|am)"
UNMARKED_QUESTION = _opening(
    (
        r"(?:how|what|why|when|where|who|whose|which)(?:'s|'re|'d|'ll)?\b(?:\s+\w+){0,4}?\s*"
        rf"\b(?:{_AUXILIARY}|to|about|might|must)\b(?!.*,)",
        rf"{_AUXILIARY}\s+(?:i|you|we|they|he|she|it|there|the|this|that|my|your|any\w*|some\w*)\b",
    )
)
ASSISTANT_TASK = _opening(
    (
        rf"i(?: would|'d) (?:like|love|appreciate) (?:you|it if|some {_HELP}|to (?:know|hear|get|see"
        rf"|learn|ask))\b",
        rf"i (?:need|want)(?: to)? (?:you|your|help|some {_HELP}|to know)\b",
        r"i (?:was|am) wondering\b|i wonder\b|(?:can|could|would|will) you\b|(?:what|how) about\b",
        rf"any (?:{_HELP}|other)\b",
        r"i (?:(?:also|actually|just|do|still) )*(?:have|'ve)(?: also)?(?: got)? (?:a|another|one|some|a few)"
        r"(?: (?:more|other|quick|last))? questions?"
        r"(?: (?:about|on|regarding)\b(?!.*(?:[,:;\d]|\b(?:which|since|because|and|when)\b)).*)?[\s.!]*$",
        r"i will (?:then |now )?(?:respond|reply|answer|give you|provide you|send you|paste)\b",
        rf"i am (?:curious|hoping you|looking for (?:some )?{_HELP})\b",
        r"i will (?:definitely |make sure to |be sure to |also |have to )*"
        r"(?:check|give|try|keep|consider|look|use|take|start|do|follow|remember|let|add)\b"
        r".*\b(?:it|that|this|them|those|these|out|tips?|suggestions?|advice|mind|into)\W*$",
    )
)
ROLE_PLAY = _opening(
    (
        r"i (?:want|need|would like)(?: to)? you to\b",
        r"(?:please )?(?:act|pretend|behave|respond|answer|write|imagine|ignore)\b",
        r"you (?:are|will be|must|should) (?:a|an|now|act|the)\b",
    )
)
"""The beginning of a whole message that instructs an assistant."""
