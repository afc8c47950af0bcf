"""Word lists of English that the rules share: kinship, evaluation, vague nouns, reaction words.

General vocabulary only; nothing here comes from a benchmark.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FEMALE = _words(
    "mother mom mum mama mommy grandmother grandma granny sister daughter wife girlfriend aunt auntie niece "
    "woman girl lady granddaughter stepmother stepmom stepsister bride fiancee missus queen actress waitress "
    "stepdaughter godmother"
)
MALE = _words(
    "father dad daddy papa grandfather grandpa granddad brother son husband boyfriend uncle nephew man boy "
    "guy "
    "gentleman grandson stepfather stepdad stepbrother groom fiance king actor waiter stepson godfather"
)
KIN = (
    (FEMALE - _words("woman girl lady bride queen actress waitress"))
    | (MALE - _words("man boy guy gentleman groom king actor waiter"))
    | _words(
        "parent grandparent child kid sibling twin spouse partner cousin family relative baby toddler folk "
        "in-law "
        "mother-in-law father-in-law sister-in-law brother-in-law grandchild grandkid"
    )
)
PERSON = (
    FEMALE
    | MALE
    | KIN
    | _words(
        "friend bestie buddy neighbor neighbour roommate flatmate housemate colleague coworker co-worker "
        "teammate boss "
        "manager teacher professor tutor coach mentor therapist counselor doctor dentist nurse vet lawyer "
        "landlord "
        "client customer student classmate person someone somebody everyone everybody anyone anybody nobody "
        "stranger "
        "artist author writer singer musician director chef player owner guest host leader veteran volunteer "
        "resident recruiter advisor adviser supervisor instructor trainer patient speaker partner adult "
        "teen teenager "
        "senior soldier officer designer developer engineer mechanic agent realtor pastor priest crew fan"
    )
)
ANIMAL = _words(
    "dog puppy pup cat kitten pet bird parrot horse pony rabbit bunny hamster fish turtle snake lizard gecko "
    "guinea pig hen chicken cow goat sheep ferret tortoise animal"
)
GROUP = _words(
    "family team band group crew company agency organization organisation club class community staff couple "
    "government council committee crowd audience store shop school university hospital shelter restaurant "
    "brand "
    "firm business charity church choir orchestra league police army public everyone everybody someone "
    "anyone "
    "somebody anybody nobody person"
)
PLACE = _words(
    "place city town village country state beach park lake river mountain forest island hotel restaurant "
    "cafe bar "
    "museum gallery school college university hospital church shelter gym studio office store shop mall "
    "market "
    "library theater theatre cinema house home apartment flat room garden farm street road airport station "
    "venue "
    "center centre club camp campsite trail desert valley coast region area neighborhood neighbourhood site "
    "garage "
    "kitchen stadium arena court pool zoo aquarium court"
)
# Adjectives and nouns that judge rather than tell.
EVALUATIVE = _words(
    "amazing awesome great good nice cool lovely wonderful fantastic incredible brilliant beautiful "
    "gorgeous cute "
    "adorable sweet fun funny hilarious exciting inspiring powerful touching moving impressive perfect "
    "excellent "
    "terrific superb stunning rewarding fulfilling special important essential crucial vital key necessary "
    "valuable "
    "priceless meaningful thoughtful kind bad terrible awful horrible sad tough hard difficult challenging "
    "easy "
    "stressful scary weird crazy wild insane interesting fascinating relaxing peaceful calming refreshing "
    "helpful "
    "useful worth worthwhile delicious tasty yummy boring annoying frustrating disappointing heartwarming "
    "heartbreaking comforting uplifting motivating encouraging empowering breathtaking magical surreal "
    "unreal "
    "memorable unforgettable intense thrilling rad sick epic dope lit neat super fab fabulous nerve-wracking "
    "exhausting thought-provoking eye-opening life-changing best better worst wise true right wrong fine "
    "okay ok "
    "happy glad proud excited thrilled thankful grateful lucky blessed honored inspired stoked pumped amazed "
    "impressed sorry hopeful optimistic ready sure certain welcome mind-blowing satisfying enjoyable "
    "pleasant "
    "blast joy treat gem delight pleasure bummer shame pity game-changer lifesaver dream highlight"
    " spectacular phenomenal remarkable marvelous brutal dull ugly electric ridiculous"
)
# What one calls people in praise: "she is the man".
PRAISE = _words("man goat legend king queen boss star hero icon genius angel champ champion beast")
# Feelings of the speaker: with no content beside them they say nothing specific.
FEELING = _words(
    "elated happy glad proud excited thrilled thankful grateful lucky blessed honored inspired stoked "
    "pumped amazed "
    "impressed sorry hopeful optimistic ready sure certain sad upset touched moved curious psyched delighted "
    "pleased appreciative overjoyed ecstatic fine okay ok good great well better positive motivated "
    "determined "
    "confident busy speechless jealous here there keen eager open interested"
)
# Nouns too vague to make a statement informative on their own.
VAGUE = _words(
    "thing way time day lot bit stuff kind sort part chance opportunity word moment support journey love "
    "kindness "
    "help courage strength hope passion positivity energy vibe difference change impact inspiration "
    "motivation "
    "growth progress happiness joy peace world life experience feeling thought idea reminder blast fun "
    "heart soul "
    "mind one ones encouragement compliment advice attitude effort luck best everything something anything "
    "nothing "
    "someone anyone everyone people person somebody everybody nobody other others matter case point fact "
    "reason "
    "confession announcement secret favor favour reality "
    "sense purpose goal dream future past step challenge struggle obstacle connection bond memory "
    "appreciation "
    "gratitude understanding acceptance community friend guy folk reaction response update news tip "
    "suggestion "
    "recommendation question answer look smile minute second while moment side place spot stress power value "
    "beauty nature spirit self care guidance perspective balance creativity inclusivity inclusion diversity "
    "resilience determination dedication commitment patience success adventure excitement pleasure honor "
    "gift "
    "treat break work job deal end start beginning today tomorrow yesterday now tonight ear hand eye rock "
    "talk chat "
    "conversation picture photo pic image video vid message fan option voice"
)
LIGHT_VERBS = _words(
    "be have do get make go take give let keep seem look sound feel think know believe guess hope wish want "
    "need "
    "love like enjoy appreciate thank mean say tell see hear find try come bring put help show remember "
    "agree "
    "understand bet imagine wonder suppose realize notice expect stay happen become start stop continue can "
    "could "
    "will would should may might must support share inspire motivate encourage cherish remind matter value "
    "believe "
    "deserve treasure push embrace face tackle spread learn grow live reflect experience talk chat work use "
    "add "
    "mention wait reach plug push check chase pursue achieve overcome succeed improve strive quit"
)
# What one may be doing these days: "Researching schools" leaves out "I am".
ONGOING = _words(
    "plan think work try hope consider research look prepare learn study train write build start head go "
    "move take "
    "save organize practice volunteer make paint cook bake design develop apply search explore finish read"
)
WEAK_ADJECTIVES = _words(
    "very new big small little own other more many few several different same whole full real such next last "
    "first long "
    "short old high low strong huge major main total certain possible able close open positive negative due"
)
# What "our" shares with everybody.
PUBLIC = _words(
    "country nation military community society world planet city town government education environment area "
    "neighborhood neighbourhood state economy army troop veteran earth infrastructure school system "
    "generation "
    "unity teamwork democracy culture history lives life"
)
# What "our" shares with the listener.
MUTUAL = _words("friendship chat conversation talk call discussion relationship bond")
# What only people have: "their faces".
HUMAN = _words("face smile eye hand heart voice laughter gratitude joy eagerness confidence reaction")
# Verbs that describe no event: "it" does not refer back to them.
STATIVE = _words(
    "be feel look seem sound love like enjoy think believe know want need hope wish appreciate hate prefer "
    "agree mean "
    "guess remember understand can could will would"
)
# Verbs of liking, for kind = preference.
LIKING = _words("love like enjoy prefer adore hate dislike loathe favor favour detest fancy")
THINKING = _words("think believe guess suppose feel reckon bet find consider doubt imagine")
PLANNING = _words("plan hope want intend aim decide consider think dream aspire wish")
TEMPORAL = _words(
    "year month week weekend day morning afternoon evening night summer winter spring autumn fall season "
    "semester "
    "monday tuesday wednesday thursday friday saturday sunday time moment decade today weeknight"
)
DIMINUTIVE_ADDRESS = _words(
    "buddy man bro dude girl guys everyone folks all mate pal friend honey dear love sis hun hon babe y'all "
    "team "
    "buddies friends bestie boss"
)
