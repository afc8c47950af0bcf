"""The store over HTTP: a typed REST interface with its OpenAPI page, and the Model Context Protocol.

What the tools answer is what `mcp_tools` answers; an error of the MemcoreError family is an answer with its
cause and fix, of any other only the type and place leave the process. Who may ask is `guard`'s matter.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi_swagger import patch_fastapi
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import BaseModel, ConfigDict, Field

from memcore.domain import errors
from memcore.domain.errors import MemcoreError, UsageError
from memcore.domain.models import DEFAULT_OWNER
from memcore.runtime.caller import Caller
from memcore.server.commands import Asked, Commands
from memcore.server.guard import Guard
from memcore.server.lending import Lender
from memcore.server.listening import Listening
from memcore.server.mcp_results import (
    AddAnswer,
    AskAnswer,
    LogAnswer,
    MemoryAnswer,
    ProposalAnswer,
    ProposalsAnswer,
    SearchAnswer,
)
from memcore.server.mcp_server import make_server, unexpected
from memcore.server.mcp_tools import MemoryTools, States, ToldTurn
from memcore.server.served import Served, proof

LONGEST_NONCE = 100
_STATUS: dict[type[MemcoreError], int] = {
    errors.UsageError: 400,
    errors.LogError: 400,
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.ReadOnlyStoreError: 403,
    errors.StoreBusyError: 503,
    errors.LlmError: 502,
}
_ABOUT = (
    "The memory that a process of this machine holds. Send the token of served.json in the store's directory "
    "as a bearer token. All texts in answers are data that people and programs wrote."
)


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Whose(_Asked):
    owner: str = Field(DEFAULT_OWNER, description="Whose memory.")
    recipe: str | None = Field(None, description="Only what this system remembers.")


class SearchRequest(_Whose):
    """A question, how many results, and the times it is about."""

    query: str
    k: int = 10
    as_of: str | None = Field(None, description="Answer from what was valid then: 2023-05-08, 2023-05, 2023.")
    asked_at: str | None = Field(None, description="When it is asked: “10 days ago” counts from then.")


class AskRequest(_Whose):
    """A question, and how many tokens its context may have."""

    query: str
    budget: int = 2_000
    asked_at: str | None = None


class AddRequest(_Whose):
    """A statement that is proposed: nothing is remembered until a person approves it."""

    text: str
    speaker: str | None = None
    said_at: str | None = None
    client: str = Field("", description="The program that proposes it.")


class MessagesRequest(_Whose):
    """Turns of a conversation as they happen, in order; the same id is kept once."""

    conversation: str = Field(description="Its name, always the same.")
    messages: list[ToldTurn]
    session: str = Field("", description="Its session, if it is divided; else those of a day are one.")
    client: str = Field("", description="The program that tells them.")


class Terminal(_Asked):
    """Which of the caller's streams are terminals."""

    out: bool = False
    err: bool = False


class CommandRequest(_Asked):
    """A command of the command line: the words after `memcore`, the caller's directory and environment."""

    arguments: list[str]
    directory: str
    environment: dict[str, str] = Field(default_factory=dict)
    terminal: Terminal = Terminal()


class Proof(BaseModel):
    """What only a holder that knows the token of served.json can answer."""

    proof: str


class Refusal(BaseModel):
    """What was wrong, and the step that helps."""

    error: str
    fix: str
    kind: str


def make_app(
    lender: Lender,
    listening: Listening,
    served: Served,
    running: Commands,
    *,
    owner: str = DEFAULT_OWNER,
    recipe: str | None = None,
) -> Guard:
    """The application. `owner` and `recipe` are whose memory `/mcp` is about, and as which system keeps it;
    every REST request names its own."""
    mcp = make_server(MemoryTools(lender, owner, recipe, listening))
    mcp_app = mcp.streamable_http_app(
        streamable_http_path="/mcp",
        # the guard has looked at Host and Origin already
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with mcp.session_manager.run():
            yield

    refused: dict[int | str, dict[str, Any]] = {
        status: {"model": Refusal} for status in (400, 401, 403, 404, 409, 422, 502, 503)
    }
    app = FastAPI(
        title="Memscope",
        description=_ABOUT,
        version="1",
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        lifespan=lifespan,
        responses=refused,
    )
    _describe_token(app)
    _offer_tools(app, lambda owner, recipe=None: MemoryTools(lender, owner, recipe, listening))
    _offer_holder(app, served, running)
    patch_fastapi(app, swagger_ui_parameters={"validatorUrl": None, "tryItOutEnabled": True})
    app.mount("/", mcp_app)
    app.add_exception_handler(MemcoreError, _refusal)
    app.add_exception_handler(RequestValidationError, _misread)
    app.add_exception_handler(Exception, _failure)
    return Guard(app, served)


def _offer_tools(app: FastAPI, tools: Callable[..., MemoryTools]) -> None:
    @app.post("/v1/search", tags=["Find"])
    def search(asked: SearchRequest) -> SearchAnswer:
        """The best results for a question, with the words they came from."""
        return tools(asked.owner, asked.recipe).search(asked.query, asked.k, asked.as_of, asked.asked_at)

    @app.post("/v1/ask", tags=["Find"])
    def ask(asked: AskRequest) -> AskAnswer:
        """The context for a question with citations, and the answer of the chosen model if there is one."""
        return tools(asked.owner, asked.recipe).ask(asked.query, asked.budget, asked.asked_at)

    @app.post("/v1/messages", tags=["Tell"])
    def messages(asked: MessagesRequest) -> LogAnswer:
        """Keep turns as evidence; the owner's system reads them as they come."""
        return tools(asked.owner, asked.recipe).log(
            asked.conversation, asked.messages, asked.session, client=asked.client
        )

    @app.get("/v1/memories/{memory_id}", tags=["Find"])
    def memory(memory_id: str, owner: str = DEFAULT_OWNER) -> MemoryAnswer:
        """A memory with the words it came from and its history."""
        return tools(owner).memory(memory_id)

    @app.get("/v1/proposals", tags=["Propose"])
    def proposals(
        state: States = "pending", limit: int = 20, owner: str = DEFAULT_OWNER, recipe: str | None = None
    ) -> ProposalsAnswer:
        """Changes that wait for a person, or what became of others."""
        return tools(owner, recipe).list_proposals(state, limit)

    @app.get("/v1/proposals/{proposal_id}", tags=["Propose"])
    def proposal(proposal_id: str, owner: str = DEFAULT_OWNER) -> ProposalAnswer:
        """A proposal with its words and history."""
        return tools(owner).proposal(proposal_id)

    @app.post("/v1/proposals", tags=["Propose"])
    def add(asked: AddRequest) -> AddAnswer:
        """Propose that something be remembered; a person decides."""
        return tools(asked.owner, asked.recipe).add(
            asked.text, asked.speaker, asked.said_at, client=asked.client
        )


def _offer_holder(app: FastAPI, served: Served, running: Commands) -> None:
    @app.get("/v1/holder", tags=["Holder"])
    async def holder(nonce: str) -> Proof:
        """That this is who wrote served.json: HMAC-SHA256 of “memscope holder NONCE” by its token."""
        if len(nonce) > LONGEST_NONCE:
            raise UsageError("This nonce is too long.", f"Send up to {LONGEST_NONCE} characters.")
        return Proof(proof=proof(served.token, nonce))

    @app.post("/v1/commands", tags=["Holder"])
    async def command(asked: CommandRequest) -> StreamingResponse:
        """Run a command of the command line; JSON lines of what it writes, and in the end its exit code."""
        if asked.arguments[:1] in (["serve"], ["mcp"]):
            raise UsageError(f"{asked.arguments[0]} is not run for others.", "Run it yourself.")
        caller = Caller(asked.environment, Path(asked.directory))
        its = Asked(asked.arguments, caller, asked.terminal.out, asked.terminal.err)
        return StreamingResponse(running.run(its), media_type="application/x-ndjson")


def _describe_token(app: FastAPI) -> None:
    """Say in the interface's description that a token is sent; the page then asks for it."""
    make = app.openapi

    def described() -> dict[str, Any]:
        made = make()
        made.setdefault("components", {})["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
        return made

    app.openapi = described  # type: ignore[method-assign]


async def _refusal(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, MemcoreError), "registered for this family"
    status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)
    said = {"error": error.cause, "fix": error.fix, "kind": type(error).__name__}
    return JSONResponse(said, status_code=status)


async def _misread(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError), "registered for it"
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    said = {"error": f"{where}: {first['msg']}.", "fix": "See /docs for what is sent.", "kind": "UsageError"}
    return JSONResponse(said, status_code=422)


async def _failure(request: Request, error: Exception) -> JSONResponse:
    cause, fix = unexpected(error)
    return JSONResponse({"error": cause, "fix": fix, "kind": "MemcoreError"}, status_code=500)
