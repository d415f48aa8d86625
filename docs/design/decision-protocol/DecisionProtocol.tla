-------------------------- MODULE DecisionProtocol --------------------------
(***************************************************************************)
(* One call that needs approval, from the request until its effect.       *)
(*                                                                         *)
(* The model has the people who decide, the rows in Postgres, two          *)
(* Temporal workers that may execute, the executor's ledger beside the     *)
(* database, process kills, a restored backup, and an attacker who writes  *)
(* rows with the application's role and wakes workflows at will.           *)
(*                                                                         *)
(* The attacker has no key: permits, run statements and seals (MACs) of    *)
(* rows cannot be forged. A row can be deleted, and an earlier state of a  *)
(* permit's row, which carried a valid signature, can be put back.         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  People,       \* everybody in the queue's team
  Starter,      \* the person who started the run; a member of People
  Quorum,       \* how many different people have to approve
  Workers,      \* Temporal workers on the host that has the workspace
  UseLedger,    \* TRUE: a permit is also spent in the executor's ledger
  BindRows,     \* TRUE: votes and people behind the request are sealed
  MaxPermits,   \* bounds of the model: permits issued,
  MaxRevisions, \* revisions of the request,
  MaxKills,     \* kills of workers,
  MaxRestores,  \* restored backups,
  MaxTampers    \* rows written by the attacker

ASSUME Starter \in People /\ Quorum \in 1..Cardinality(People)

Ids == 1..MaxPermits
None == 0
Tampered == MaxRevisions + 1 \* arguments that nobody was shown

VARIABLES
  rows,       \* what Postgres holds, see TypeOK
  backup,     \* an earlier value of rows
  epoch,      \* of the installation; a restore raises it, outside the rows
  woken,      \* Temporal has a reason to run executeCall
  ledger,     \* permits spent, in the executor's file
  worker,     \* what each Temporal worker is doing
  effects,    \* how often each permit's effect really happened
  carriedOut, \* the arguments with which it happened
  issued,     \* for each permit: the revision and the people who approved it
  nextId,     \* permits have random ids: never given twice, whatever a restore does
  kills, restores, tampers

\* Workers are alike, and so are the people who may decide: TLC visits one of each kind.
Symmetry == Permutations(Workers) \cup Permutations(People \ {Starter})

vars == <<rows, backup, epoch, woken, ledger, worker, effects, carriedOut,
          issued, nextId, kills, restores, tampers>>
bounds == <<kills, restores, tampers>>
truth == <<effects, carriedOut>>

RequestStates == {"pending", "approved", "denied", "expired"}
PermitStates == {"none", "live", "consumed"}
ExecutionStates == {"not_started", "started", "succeeded", "refused", "unknown", "settled"}

TypeOK ==
  /\ rows.request \in RequestStates
  /\ rows.revision \in 1..MaxRevisions
  /\ rows.input \in 1..Tampered
  /\ rows.votes \subseteq [by : People, sealed : BOOLEAN]
  /\ rows.behind \subseteq People
  /\ rows.editors \subseteq People
  /\ rows.permit \in PermitStates
  /\ rows.permitId \in Ids \cup {None}
  /\ rows.permitEpoch \in 0..MaxRestores
  /\ rows.execution \in ExecutionStates
  /\ rows.outbox \in BOOLEAN
  /\ ledger \subseteq Ids
  /\ nextId \in 1..(MaxPermits + 1)

Init ==
  /\ rows = [request |-> "pending", revision |-> 1, input |-> 1, votes |-> {},
             behind |-> {Starter}, editors |-> {}, permit |-> "none",
             permitId |-> None, permitEpoch |-> 0, execution |-> "not_started",
             outbox |-> FALSE]
  /\ backup = rows
  /\ epoch = 0
  /\ woken = FALSE
  /\ ledger = {}
  /\ worker = [w \in Workers |-> [at |-> "idle", id |-> None, input |-> None]]
  /\ effects = [id \in Ids |-> 0]
  /\ carriedOut = [id \in Ids |-> None]
  /\ issued = [id \in Ids |-> [revision |-> None, by |-> {}]]
  /\ nextId = 1
  /\ kills = 0 /\ restores = 0 /\ tampers = 0

-----------------------------------------------------------------------------
(* Deciding: each action is one transaction that locks run and request.    *)

\* The people who may not decide: from the signed run statement and the sealed
\* set of editors, or, in the old protocol, from rows that anybody may delete.
Behind == IF BindRows THEN {Starter} \cup rows.editors ELSE rows.behind \cup rows.editors

Counted(votes) == IF BindRows THEN {v \in votes : v.sealed} ELSE votes
Givers(votes) == {v.by : v \in Counted(votes)} \ Behind

\* Everything that an approval writes, in one transaction with the outbox row.
Issue(r, id) ==
  [r EXCEPT !.request = "approved", !.permit = "live", !.permitId = id,
            !.permitEpoch = epoch, !.execution = "not_started", !.outbox = TRUE]

Approve(p, seenRevision) ==
  LET votes == rows.votes \cup {[by |-> p, sealed |-> TRUE]} IN
  /\ rows.request = "pending"
  /\ seenRevision = rows.revision          \* else 412 stale_revision
  /\ p \notin Behind                       \* else 403 not_eligible
  /\ \A v \in rows.votes : v.by # p        \* else 409 already_voted
  /\ IF Cardinality(Givers(votes)) >= Quorum
       THEN /\ nextId <= MaxPermits
            /\ rows' = Issue([rows EXCEPT !.votes = votes], nextId)
            /\ issued' = [issued EXCEPT ![nextId] =
                 [revision |-> rows.revision,
                  by |-> {v.by : v \in {u \in votes : u.sealed}}]]
            /\ nextId' = nextId + 1
       ELSE /\ rows' = [rows EXCEPT !.votes = votes]
            /\ UNCHANGED <<issued, nextId>>
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, bounds>>

Deny(p) ==
  /\ rows.request = "pending" /\ p \notin Behind
  /\ rows' = [rows EXCEPT !.request = "denied", !.outbox = TRUE]
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, issued, nextId, bounds>>

\* A timer proposes; the row, which is still pending, disposes.
Expire ==
  /\ rows.request = "pending"
  /\ rows' = [rows EXCEPT !.request = "expired", !.outbox = TRUE]
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, issued, nextId, bounds>>

\* The edit makes a new revision and an empty tally; its editor stands behind it.
Edit(p) ==
  /\ rows.request = "pending" /\ p \notin Behind /\ rows.revision < MaxRevisions
  /\ rows' = [rows EXCEPT !.revision = @ + 1, !.input = rows.revision + 1,
                          !.votes = {}, !.editors = @ \cup {p}]
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, issued, nextId, bounds>>

\* A person says what became of an attempt nobody knows the end of: it ran, or
\* it did not and is to run again, which issues a permit of its own.
Settle(p) ==
  /\ rows.execution = "unknown" /\ p \notin Behind
  /\ rows' = [rows EXCEPT !.execution = "settled"]
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, issued, nextId, bounds>>

Again(p) ==
  /\ rows.execution = "unknown" /\ p \notin Behind /\ nextId <= MaxPermits
  /\ rows.permitId # None \* what was never approved is asked as a new request
  /\ rows' = Issue(rows, nextId)
  /\ issued' = [issued EXCEPT ![nextId] = issued[rows.permitId]]
  /\ nextId' = nextId + 1
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, bounds>>

-----------------------------------------------------------------------------
(* Waking and executing. A signal carries no authority: it only wakes.     *)

\* The relay may die between sending and deleting the row: then it sends twice.
Deliver ==
  /\ rows.outbox
  /\ woken' = TRUE
  /\ \E done \in BOOLEAN : rows' = [rows EXCEPT !.outbox = ~done]
  /\ UNCHANGED <<backup, epoch, ledger, worker, truth, issued, nextId, bounds>>

MayRun ==
  /\ rows.request = "approved" /\ rows.permit = "live"
  /\ rows.permitEpoch = epoch
  /\ rows.execution = "not_started"

\* Reads everything, verifies the permit and recomputes the digest of the arguments.
Plan(w) ==
  /\ worker[w].at = "idle" /\ woken /\ MayRun
  /\ rows.input = issued[rows.permitId].revision
  /\ worker' = [worker EXCEPT ![w] =
       [at |-> "planned", id |-> rows.permitId, input |-> rows.input]]
  /\ UNCHANGED <<rows, backup, epoch, woken, ledger, truth, issued, nextId, bounds>>

\* One transaction: reads permit and request again under their locks, consumes, marks started.
Claim(w) ==
  /\ worker[w].at = "planned"
  /\ IF MayRun /\ rows.permitId = worker[w].id
       THEN /\ rows' = [rows EXCEPT !.permit = "consumed", !.execution = "started"]
            /\ worker' = [worker EXCEPT ![w].at = "claimed"]
       ELSE /\ worker' = [worker EXCEPT ![w].at = "idle"]
            /\ UNCHANGED rows
  /\ UNCHANGED <<backup, epoch, woken, ledger, truth, issued, nextId, bounds>>

\* The permit's id is written to the ledger and flushed before the effect.
Spend(w) ==
  /\ worker[w].at = "claimed"
  /\ IF UseLedger /\ worker[w].id \in ledger
       THEN /\ worker' = [worker EXCEPT ![w].at = "idle"]
            /\ rows' = [rows EXCEPT !.execution = IF @ = "started" THEN "refused" ELSE @]
            /\ UNCHANGED ledger
       ELSE /\ worker' = [worker EXCEPT ![w].at = "spent"]
            /\ ledger' = IF UseLedger THEN ledger \cup {worker[w].id} ELSE ledger
            /\ UNCHANGED rows
  /\ UNCHANGED <<backup, epoch, woken, truth, issued, nextId, bounds>>

Act(w) ==
  /\ worker[w].at = "spent"
  /\ effects' = [effects EXCEPT ![worker[w].id] = @ + 1]
  /\ carriedOut' = [carriedOut EXCEPT ![worker[w].id] = worker[w].input]
  /\ worker' = [worker EXCEPT ![w].at = "acted"]
  /\ UNCHANGED <<rows, backup, epoch, woken, ledger, issued, nextId, bounds>>

\* Stored for that very attempt only; a late end corrects `unknown` until a person settled it.
Finish(w) ==
  /\ worker[w].at = "acted"
  /\ rows' = IF rows.permitId = worker[w].id /\ rows.execution \in {"started", "unknown"}
               THEN [rows EXCEPT !.execution = "succeeded"] ELSE rows
  /\ worker' = [worker EXCEPT ![w].at = "idle"]
  /\ UNCHANGED <<backup, epoch, woken, ledger, truth, issued, nextId, bounds>>

\* The time-out of an activity is not a death: the worker may still be at it.
SettleUnknown ==
  /\ rows.execution = "started"
  /\ rows' = [rows EXCEPT !.execution = "unknown"]
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, issued, nextId, bounds>>

-----------------------------------------------------------------------------
(* Faults and attacks.                                                     *)

Kill(w) ==
  /\ kills < MaxKills /\ worker[w].at # "idle"
  /\ worker' = [worker EXCEPT ![w].at = "idle"]
  /\ kills' = kills + 1
  /\ UNCHANGED <<rows, backup, epoch, woken, ledger, truth, issued, nextId, restores, tampers>>

TakeBackup ==
  /\ restores < MaxRestores
  /\ backup' = rows
  /\ UNCHANGED <<rows, epoch, woken, ledger, worker, truth, issued, nextId, bounds>>

\* All processes are stopped. What may have run since the backup is asked about.
Restore ==
  /\ restores < MaxRestores
  /\ epoch' = epoch + 1
  /\ rows' = IF backup.permit = "live" \/ backup.execution = "started"
               THEN [backup EXCEPT !.permit = "consumed", !.execution = "unknown"]
               ELSE backup
  /\ worker' = [w \in Workers |-> [at |-> "idle", id |-> None, input |-> None]]
  /\ restores' = restores + 1
  /\ UNCHANGED <<backup, woken, ledger, truth, issued, nextId, kills, tampers>>

\* A forged signal, a hand-scheduled activity, a reset or a replayed history.
ForgeWake ==
  /\ ~woken /\ woken' = TRUE
  /\ UNCHANGED <<rows, backup, epoch, ledger, worker, truth, issued, nextId, bounds>>

Tamper(newRows) ==
  /\ tampers < MaxTampers /\ tampers' = tampers + 1 /\ rows' = newRows
  /\ UNCHANGED <<backup, epoch, woken, ledger, worker, truth, issued, nextId, kills, restores>>

\* The permit's row as it was before it was consumed, and no execution. The attack "replay".
PutBackPermit ==
  /\ rows.permit = "consumed"
  /\ Tamper([rows EXCEPT !.permit = "live", !.execution = "not_started"])

ForgeVote(p) == rows.request = "pending" /\
  Tamper([rows EXCEPT !.votes = @ \cup {[by |-> p, sealed |-> FALSE]}])
DeleteBehind == Tamper([rows EXCEPT !.behind = {}])
ChangeInput == Tamper([rows EXCEPT !.input = Tampered])
ApproveByHand == Tamper([rows EXCEPT !.request = "approved"])

-----------------------------------------------------------------------------
Decide == \E p \in People : \E r \in 1..MaxRevisions :
            Approve(p, r) \/ Deny(p) \/ Edit(p) \/ Settle(p) \/ Again(p)
Execute == \E w \in Workers : Plan(w) \/ Claim(w) \/ Spend(w) \/ Act(w) \/ Finish(w)
Fault == (\E w \in Workers : Kill(w)) \/ TakeBackup \/ Restore
Attack == ForgeWake \/ PutBackPermit \/ DeleteBehind \/ ChangeInput \/ ApproveByHand
            \/ \E p \in People : ForgeVote(p)

Next == Decide \/ Expire \/ Deliver \/ Execute \/ SettleUnknown \/ Fault \/ Attack

Fairness ==
  /\ WF_vars(Deliver)
  /\ WF_vars(\E w \in Workers : Plan(w))
  /\ WF_vars(SettleUnknown) \* an attempt that stopped sending heartbeats
  /\ \A w \in Workers : WF_vars(Claim(w)) /\ WF_vars(Spend(w)) /\ WF_vars(Act(w))
                         /\ WF_vars(Finish(w))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* What is promised.                                                       *)

\* Runs once: no permit has two effects, whatever dies, is replayed or put back.
OncePerPermit == \A id \in Ids : effects[id] <= 1

\* Somebody else decided: an effect has enough approvals of people who really gave
\* them, and its starter is not among them.
SomebodyElseDecided == \A id \in Ids : effects[id] > 0 =>
  /\ Starter \notin issued[id].by
  /\ Cardinality(issued[id].by) >= Quorum

\* Shown = approved = executed: the effect has the arguments of the approved revision.
ShownIsExecuted == \A id \in Ids : effects[id] > 0 => carriedOut[id] = issued[id].revision

\* Never more certain than the facts: no row says that an effect happened that did not.
NeverMoreCertain == (rows.execution = "succeeded" /\ tampers = 0) =>
  \E id \in Ids : effects[id] > 0

\* Nothing is lost: what was approved is carried out, or ends as something that is said.
ApprovedIsCarriedOut ==
  (rows.request = "approved" /\ rows.permit = "live")
    ~> \/ rows.execution \in {"succeeded", "refused", "unknown", "settled"}
       \/ rows.request # "approved" \* an older backup was restored
       \/ tampers > 0
=============================================================================
