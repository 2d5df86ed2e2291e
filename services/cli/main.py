"""The commands and their options. What they do is imported only when it is called for."""

from __future__ import annotations

import os
import re
import stat
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Final

import typer

from services.cli.errors import PartMissing, WrongInput, WrongUse

STDIN: Final = "-"
_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)

app = typer.Typer(
    name="sabot",
    help="Plays, checks and rebuilds baccarat tables.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
rulebook_app = typer.Typer(
    help="Lists, shows and checks rulebooks.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(rulebook_app, name="rulebook")
anchor_app = typer.Typer(
    help="Signs what the logs are, to prove it later.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(anchor_app, name="anchor")
shoe_app = typer.Typer(
    help="Proves that generated shoes were fixed before they were dealt.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(shoe_app, name="shoe")
wallet_app = typer.Typer(
    help="Checks an operator's wallet, and compares books.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(wallet_app, name="wallet")

Logs = Annotated[
    list[str],
    typer.Argument(metavar="FILE", help="Table logs, one table each; - is standard input."),
]
RunId = Annotated[
    str | None,
    typer.Option("--run", metavar="ID", help="Name of the run; the same again resumes it."),
]
CoupId = Annotated[str | None, typer.Argument(metavar="COUP", help="The id of one coup.")]
AllCoups = Annotated[bool, typer.Option("--all", help="Rebuild every coup there is.")]
Coups = Annotated[
    int | None, typer.Option("--coups", metavar="N", min=1, help="Coups to play in all.")
]
WalletKind = Annotated[
    str,
    typer.Option(
        "--wallet", metavar="KIND", help="ledger (built in), or http (a simulated operator's)."
    ),
]
RulebookOrFile = Annotated[
    str | None,
    typer.Argument(metavar="ID|FILE", help="A packaged rulebook, such as nsw-mini, or a file."),
]
RulebookId = Annotated[
    str | None,
    typer.Option("--rulebook", metavar="ID|FILE", help="The same, by a name of its own."),
]
Decks = Annotated[
    int | None,
    typer.Option("--decks", metavar="N", help="1 to 12; by default the most it allows."),
]
CoupsToDraw = Annotated[
    int | None,
    typer.Option(
        "--simulate",
        metavar="COUPS",
        min=1,
        help="Draw so many at random, and hold the odds to them.",
    ),
]
DrawSeed = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="S", min=0, help="Of --simulate: the same again draws the same coups."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Book = Annotated[
    Path | None, typer.Option("--book", metavar="FILE", help="The book of anchors to hold them to.")
]
PublicKeys = Annotated[
    list[Path] | None,
    typer.Option("--key", metavar="FILE", help="A public key whose anchors count; repeatable."),
]
OfTable = Annotated[str, typer.Argument(metavar="TABLE", help="The id of a table.")]
ShoeId = Annotated[str, typer.Argument(metavar="SHOE", help="The id of a shoe of that table.")]
Proof = Annotated[Path, typer.Argument(metavar="FILE", help="A proof, as `shoe proof` prints it.")]
KeyFile = Annotated[Path, typer.Argument(metavar="FILE", help="Where the private key goes.")]
SigningKey = Annotated[Path, typer.Option("--key", metavar="FILE", help="The private key.")]
BookFile = Annotated[Path, typer.Option("--book", metavar="FILE", help="The book to write on in.")]
EarlierKeys = Annotated[
    list[Path] | None,
    typer.Option(
        "--earlier-key", metavar="FILE", help="A public key from before a change; repeatable."
    ),
]
Every = Annotated[
    int, typer.Option("--every", metavar="N", min=1, help="An anchor at least every N events.")
]
AsText = Annotated[bool, typer.Option("--text", help="In words, each line with its clauses.")]
RulebookName = Annotated[
    str,
    typer.Argument(metavar="ID|HASH", help="A packaged rulebook, or one of a coup by its hash."),
]
OneCoup = Annotated[str, typer.Argument(metavar="COUP", help="The id of one coup.")]
Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="Where the bytes go.")]
AtPosition = Annotated[
    int,
    typer.Option("--position", metavar="N", min=0, help="As it was then; 0: as it is now."),
]
Purpose = Annotated[
    str,
    typer.Option("--export", metavar="PURPOSE", help="Put on record that it is handed out."),
]
By = Annotated[str, typer.Option("--by", metavar="PERSON", help="Who hands it out.")]
Role = Annotated[str, typer.Option("--role", metavar="ROLE", help="His role.")]
DisputeId = Annotated[
    str, typer.Option("--dispute", metavar="ID", help="The dispute that it is for.")
]
Document = Annotated[str, typer.Argument(metavar="FILE", help="A rulebook as a JSON file.")]

WalletUrl = Annotated[str, typer.Argument(metavar="URL", help="Address of the wallet.")]
Player = Annotated[str, typer.Option("--player", metavar="ID", help="A funded test player.")]
Currency = Annotated[str, typer.Option("--currency", metavar="CODE", help="Of his account.")]
KeyId = Annotated[str, typer.Option("--key-id", metavar="ID", help="Name of the signing key.")]
WalletKey = Annotated[
    Path | None,
    typer.Option(
        "--key-file", metavar="FILE", help="RSA key; else the secret is SABOT_WALLET_SECRET."
    ),
]
Amounts = Annotated[
    str, typer.Option("--amounts", metavar="FORM", help="MINOR, DECIMAL, THOUSANDS or MILLIONTHS.")
]
Decimals = Annotated[
    int, typer.Option("--decimals", metavar="N", min=0, max=8, help="Of DECIMAL and THOUSANDS.")
]
ForgetsCancels = Annotated[
    bool, typer.Option("--forgets-cancels", help="An unknown debit's cancel is UNKNOWN_DEBIT.")
]
WholeCancels = Annotated[bool, typer.Option("--whole-cancels", help="No partial cancels.")]
Session = Annotated[
    str, typer.Option("--session", metavar="ID", help="A session that the player has open.")
]
SessionIn = Annotated[
    str, typer.Option("--session-in", metavar="WHICH", help="Named in DEBITS, ALL or NONE.")
]
ZeroCredits = Annotated[
    bool, typer.Option("--zero-credits", help="Check a credit of zero for a lost wager, too.")
]
CoupCredits = Annotated[
    bool, typer.Option("--coup-credits", help="Check one credit for several wagers, too.")
]
OperatorsList = Annotated[
    Path, typer.Argument(metavar="CSV", help="key, verb, player, currency, amount_minor.")
]
FromUs = Annotated[
    int, typer.Option("--from-us", metavar="US", help="Sabot's movements from this instant on.")
]
Operator = Annotated[
    str | None, typer.Option("--operator", metavar="NAME", help="Movements of his wallet alone.")
]
UntilUs = Annotated[int, typer.Option("--until-us", metavar="US", help="And before this one.")]
TableId = Annotated[str, typer.Option("--table", metavar="ID", help="All tables if left out.")]

Token = Annotated[
    Path | None, typer.Option("--token", metavar="FILE", help="A file with the caller's token.")
]
LabFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is empty or new.")]
SampleBytes = Annotated[
    int, typer.Option("--samples", metavar="BYTES", min=1, help="Raw bytes of the generator.")
]
ReportName = Annotated[str | None, typer.Argument(metavar="NAME", help="The name of a report.")]
ListReports = Annotated[bool, typer.Option("--list", help="Name the reports there are.")]
FromDay = Annotated[str, typer.Option("--from", metavar="DAY", help="First gaming day.")]
ToDay = Annotated[str, typer.Option("--to", metavar="DAY", help="Last gaming day.")]
ToDate = Annotated[
    str, typer.Option("--to-date", metavar="SPAN", help="month or year of --to, up to it.")
]
AsOf = Annotated[
    str, typer.Option("--as-of", metavar="TOKEN", help="As it was then; else as it is now.")
]
OfRulebook = Annotated[str, typer.Option("--rulebook", metavar="ID", help="Of one rulebook.")]
OfDealer = Annotated[str, typer.Option("--dealer", metavar="ID", help="Of one dealer.")]
OfArea = Annotated[str, typer.Option("--area", metavar="AREA", help="Of one area.")]
OfCurrency = Annotated[str, typer.Option("--currency", metavar="CODE", help="Of one currency.")]
OfPlayer = Annotated[str, typer.Option("--player", metavar="ID", help="Of one player.")]
Threshold = Annotated[
    int, typer.Option("--threshold", metavar="MINOR", min=0, help="What counts as large.")
]
OfTestTables = Annotated[
    bool, typer.Option("--test", help="Of tables in TEST mode instead of live ones.")
]
ReportForm = Annotated[
    str, typer.Option("--format", metavar="FORM", help="text, csv or parquet (extra export).")
]
ReportFolder = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Where the report and its manifest go."),
]


@app.command()
def replay(files: Logs) -> int:
    """Fold table logs through the rules, in this process."""
    check_logs(files)
    part = part_of("services.tablelog.replay")
    from services.tablelog.reader import Malformed  # noqa: PLC0415

    try:
        return int(part.main(files, sys.stdout, sys.stderr))
    except Malformed as malformed:
        raise WrongInput(str(malformed)) from malformed


@app.command()
def play(files: Logs, run: RunId = None) -> int:
    """Play table logs through the running services."""
    check_logs(files)
    if run is not None and not _RUN_ID.fullmatch(run):
        raise WrongUse("--run takes up to 64 letters, digits, - and _, a letter or digit first")
    from services.cli.local import use_local_stack  # noqa: PLC0415

    use_local_stack()
    part = part_of("services.tablelog.play")
    from services.tablelog.reader import Malformed  # noqa: PLC0415

    try:
        return int(part.main(files, sys.stdout, sys.stderr, run=run))
    except Malformed as malformed:
        raise WrongInput(str(malformed)) from malformed


@app.command()
def rebuild(coup: CoupId = None, all_coups: AllCoups = False) -> int:  # noqa: FBT002
    """Rebuild coups from stored events, and compare."""
    if (coup is not None) == all_coups:
        raise WrongUse("rebuild takes either the id of a coup or --all")
    return int(part_of("services.cli.rebuild").main(coup, sys.stdout, sys.stderr))


@app.command()
def evidence(  # noqa: PLR0917 - one for each option
    coup: OneCoup,
    out: Out = None,
    position: AtPosition = 0,
    export: Purpose = "",
    by: By = "",
    role: Role = "GAME_SUPERVISOR",
    dispute: DisputeId = "",
    token: Token = None,
) -> int:
    """Fetch the evidence of a coup and its hash; with --export, put that on record."""
    if by and token:
        raise WrongUse("the token says who hands it out: no --by")
    if by and not export:
        raise WrongUse("--by takes --export")
    if export and not (by or token):
        raise WrongUse("--export takes --by, or --token")
    if dispute and not export:
        raise WrongUse("--dispute takes --export")
    if export and position:
        raise WrongUse("what is handed out is the evidence as it is now: no --position")
    part = part_of("services.cli.evidence")
    from services.contracts.core import Actor  # noqa: PLC0415

    asked = part.Asked(
        coup_id=coup,
        out=out,
        position=position,
        purpose=export,
        by=Actor(by, role.upper()),
        dispute_id=dispute,
        token=checked(token),
    )
    return int(part.main(asked, sys.stdout, sys.stderr))


@app.command()
def lab(folder: LabFolder, sample_bytes: SampleBytes = 1 << 20) -> int:
    """Write what a test laboratory asks for first: digests, odds, rules, samples, clauses."""
    from services.cli import lab as part  # noqa: PLC0415

    return part.main(folder, sys.stdout, sample_bytes=sample_bytes)


@app.command()
def report(
    name: ReportName = None,
    *,
    listed: ListReports = False,
    from_day: FromDay = "",
    to_day: ToDay = "",
    to_date: ToDate = "",
    as_of: AsOf = "",
    table: TableId = "",
    rulebook: OfRulebook = "",
    dealer: OfDealer = "",
    area: OfArea = "",
    currency: OfCurrency = "",
    player: OfPlayer = "",
    threshold: Threshold = 0,
    test: OfTestTables = False,
    form: ReportForm = "text",
    out: ReportFolder = None,
    token: Token = None,
) -> int:
    """Print a report, or write it with a manifest; with --list, name them all."""
    if (name is None) != listed:
        raise WrongUse("report takes either the name of a report or --list")
    if form not in ("text", "csv", "parquet"):
        raise WrongUse("--format is text, csv or parquet")
    if to_date.upper() not in ("", "MONTH", "YEAR"):
        raise WrongUse("--to-date is month or year")
    part = part_of("services.cli.report")
    if name is None:
        return int(part.show_list(sys.stdout, checked(token)))
    request = part.pb.GetReportRequest(
        name=name,
        as_of_token=as_of,
        from_day=from_day,
        to_day=to_day,
        to_date=to_date.upper(),
        test=test,
        table_id=table,
        rulebook_id=rulebook,
        dealer=dealer,
        area=area.upper(),
        currency=currency.upper(),
        player=player,
        threshold_minor=threshold,
    )
    asked = part.Asked(request=request, form=form, folder=out, token=checked(token))
    return int(part.main(asked, sys.stdout, sys.stderr))


@app.command()
def demo(coups: Coups = None, wallet: WalletKind = "ledger") -> int:
    """Play recorded shoes, watch them, prove the books."""
    if wallet not in ("ledger", "http"):
        raise WrongUse("--wallet is ledger or http")
    return int(
        part_of("services.cli.demo").main(sys.stdout, sys.stderr, coups=coups, wallet=wallet)
    )


@app.command()
def odds(
    named: RulebookOrFile = None,
    *,
    rulebook: RulebookId = None,
    decks: Decks = None,
    coups: CoupsToDraw = None,
    seed: DrawSeed = None,
    as_json: AsJson = False,
) -> int:
    """Print the exact odds of a rulebook's areas, or hold them to coups drawn at random."""
    name, out, err = named or rulebook, sys.stdout, sys.stderr
    if coups is None:
        if seed is not None:
            raise WrongUse("--seed goes with --simulate")
        from services.cli import odds as exact  # noqa: PLC0415

        return exact.main(name, decks, as_json=as_json, out=out, err=err)
    from services.cli import comparing as part  # noqa: PLC0415

    return part.main(name, decks, coups=coups, seed=seed, as_json=as_json, out=out, err=err)


@rulebook_app.command("list")
def rulebook_list(as_json: AsJson = False) -> int:  # noqa: FBT002
    """List the rulebooks that come with Sabot."""
    from services.cli import rulebook as part  # noqa: PLC0415

    return part.show_list(as_json=as_json, out=sys.stdout)


@rulebook_app.command("show")
def rulebook_show(rulebook: RulebookName, as_text: AsText = False) -> int:  # noqa: FBT002
    """Print a rulebook by its id or hash, as its document or as a text."""
    from services.cli import rulebook as part  # noqa: PLC0415

    return part.show(rulebook, as_text=as_text, out=sys.stdout, err=sys.stderr)


@rulebook_app.command("check")
def rulebook_check(file: Document) -> int:
    """Check a rulebook document and name every fault of it."""
    check_file(file)
    from services.cli import rulebook as part  # noqa: PLC0415

    return part.check(file, out=sys.stdout, err=sys.stderr)


@app.command()
def verify(book: Book = None, key: PublicKeys = None) -> int:
    """Check that no stored event was edited, removed, added or swapped."""
    for file in (book, *(key or ())):
        if file is not None:
            check_file(str(file))
    from services.cli import verify as part  # noqa: PLC0415

    return part.verify(book, key or (), sys.stdout, sys.stderr)


@shoe_app.command("proof")
def shoe_proof(table: OfTable, shoe: ShoeId) -> int:
    """Print what was published of a shoe: all that its proof needs."""
    from services.cli import shoe as part  # noqa: PLC0415

    return part.proof(table, shoe, sys.stdout)


@shoe_app.command("check")
def shoe_check(file: Proof) -> int:
    """Check a revealed shoe against its commitment and the cards that were dealt."""
    check_file(str(file))
    from services.cli import shoe as part  # noqa: PLC0415

    return part.check(file, sys.stdout)


@anchor_app.command("new-key")
def anchor_new_key(file: KeyFile) -> int:
    """Make a key that signs anchors, and its public half in FILE.pub."""
    from services.cli import verify as part  # noqa: PLC0415

    return part.new_key(file, sys.stdout)


@anchor_app.command("write")
def anchor_write(
    key: SigningKey, book: BookFile, every: Every = 1_000, earlier_key: EarlierKeys = None
) -> int:
    """Sign how the logs went on since their last anchors. To be run regularly."""
    for file in (key, *(earlier_key or ())):
        check_file(str(file))
    from services.cli import verify as part  # noqa: PLC0415

    return part.anchor(key, book, every, sys.stdout, sys.stderr, earlier=earlier_key or ())


@app.command()
def version() -> int:
    """Print the version of this program."""
    from importlib import metadata  # noqa: PLC0415

    sys.stdout.write(f"sabot {metadata.version('sabot')}\n")
    return 0


def part_of(name: str) -> ModuleType:
    """The module that does the work of a command; `PartMissing` where it is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise PartMissing(f"{name} is not part of this installation") from None
        raise


def check_logs(files: list[str]) -> None:
    """Raise `WrongUse` for a table log that cannot be read, before any of them is begun."""
    if files.count(STDIN) > 1:
        raise WrongUse("standard input can be read only once")
    for file in files:
        if file != STDIN:
            check_file(file)


def checked(token: Path | None) -> Path | None:
    """A file with a token, which has to be there before anybody is called."""
    if token is not None:
        check_file(str(token))
    return token


def check_file(file: str) -> None:
    """Raise `WrongUse` where this is no file that can be read. A pipe counts as a file."""
    try:
        mode = os.stat(file).st_mode  # noqa: PTH116 - a path as given, also an empty one
    except (OSError, ValueError) as error:
        raise WrongUse(f"{file}: {getattr(error, 'strerror', None) or 'no such file'}") from None
    if stat.S_ISDIR(mode):
        raise WrongUse(f"{file}: is a directory")
    if not os.access(file, os.R_OK):
        raise WrongUse(f"{file}: permission denied")


@wallet_app.command("conform")
def wallet_conform(
    url: WalletUrl,
    *,
    player: Player,
    currency: Currency = "EUR",
    key_id: KeyId = "sabot",
    key_file: WalletKey = None,
    amounts: Amounts = "MINOR",
    decimals: Decimals = 2,
    forgets_cancels: ForgetsCancels = False,
    whole_cancels: WholeCancels = False,
    session: Session = "",
    session_in: SessionIn = "DEBITS",
    zero_credits: ZeroCredits = False,
    coup_credits: CoupCredits = False,
) -> int:
    """Check an operator's endpoint with a funded test player."""
    from services.cli import wallet as part  # noqa: PLC0415

    return part.conform(
        url,
        sys.stdout,
        player=player,
        currency=currency,
        key_id=key_id,
        key_file=key_file,
        switches=part.switches_of(
            amounts=amounts,
            decimals=decimals,
            forgets_cancels=forgets_cancels,
            whole_cancels=whole_cancels,
            session=session_in,
        ),
        session=session,
        zero_credits=zero_credits,
        coup_credits=coup_credits,
    )


@wallet_app.command("reconcile")
def wallet_reconcile(
    file: OperatorsList,
    from_us: FromUs = 0,
    until_us: UntilUs = 0,
    operator: Operator = None,
    as_json: AsJson = False,  # noqa: FBT002
) -> int:
    """Compare an operator's list of movements with Sabot's."""
    from services.cli import wallet as part  # noqa: PLC0415

    return part.reconcile(
        file,
        sys.stdout,
        from_us=from_us,
        until_us=until_us,
        as_json=as_json,
        operator=operator,
    )


@wallet_app.command("items")
def wallet_items(table: TableId = "", as_json: AsJson = False) -> int:  # noqa: FBT002
    """List what the wallet refused or has not confirmed."""
    from services.cli import wallet as part  # noqa: PLC0415

    return part.items(table, sys.stdout, as_json=as_json)
