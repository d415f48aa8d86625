import type { JsonObject } from '#domain/json/json.ts'
import type {
  ExecutionState,
  CallFacts,
  CallResultType,
  EarlyEnd,
  RestReason,
  RunState,
} from '#domain/requests/request.ts'
import type { Jsonb, Timestamp, GeneratedTimestamp } from './columns.ts'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Actor } from '#domain/actor.ts'
import type { RunBudget } from '#domain/runs/run-budget.ts'
import type { Rule, RunMode, Verdict } from '#domain/policy/verdict.ts'
import type { WindowStepKind } from '#domain/runs/window.ts'
import type { WorktreeOfRun } from '#domain/tools/worktree.ts'
import type { SignedStatement } from '#domain/statements/statement.ts'

/** Why a run cannot continue or has failed: a stable code and a sentence that says what to do. */
export interface RunFailure {
  readonly code: string
  readonly message: string
}

/**
 * `discardedAt`: when somebody requested its removal, as ISO text; absent: nobody did. `discard`:
 * the signed statement of that, which the host verifies.
 * `removedAt`: when the service removed it.
 */
export interface WorktreeRow extends WorktreeOfRun {
  readonly discardedAt?: string
  readonly discard?: SignedStatement
  readonly removedAt?: string
}

export interface RunTable {
  id: string
  number: GeneratedAlways<string>
  root_run_id: string
  parent_run_id: string | null
  parent_call_id: string | null
  worker: string
  worker_digest: string
  policy_digest: string
  mode: RunMode
  state: Generated<RunState>
  /** of canonical JSON in `content` */
  input_digest: string
  /** the input's first line */
  title: string
  /** the files that came with its task; `null`: none */
  attachments: Jsonb<
    readonly { path: string; bytes: number; hash: string; given: boolean }[] | null
  >
  /** `null`: nobody; a trigger without a person started it */
  started_by: string | null
  /** the trigger or schedule that started it, as `trigger:NAME`; `null`: a caller did */
  started_from: string | null
  api_key_id: string | null
  /**
   * owner of the key that started this run or the run above it, if that is not `started_by`; a
   * trigger fills it
   */
  co_owner_id: ColumnType<string | null, never, never>
  workflow_id: string
  task_queue: string
  /** name of the workspace that it works in */
  workspace: Generated<string>
  /** `null`: it works in the folder of the workspace itself */
  worktree: Jsonb<WorktreeRow | null>
  turn: Generated<number>
  failure: Jsonb<RunFailure | null>
  output: string | null
  end_reason: string | null
  pending_requests: Generated<number>
  epoch: number
  /** how long this conversation rests after each answer; `null`: the run is no conversation */
  rest_for_seconds: number | null
  /** while it waits for input; also `null` in rows of a version without conversations */
  rest: RestReason | null
  /** when a resting conversation ends */
  rests_until: Timestamp | null
  /** its own limits; `null`: its worker's */
  budget: Jsonb<RunBudget | null>
  /** the run whose transcript it continues, and the last turn that it took over */
  forked_from: string | null
  forked_after_turn: number | null
  /** the request of its start; `null`: it needed none */
  start_request_id: string | null
  created_at: GeneratedTimestamp
  ended_at: Timestamp | null
  /**
   * `state` of a run that failed or was cancelled; an index has it, since one of `state` would get
   * an entry at each change
   */
  ended_early: GeneratedAlways<EarlyEnd | null>
  /** over the statement that the columns above make (services/core/verify-run) */
  signature: string
  key_id: string
}

/** What a run's model no longer sees from a turn on; a fork begins with those of its prefix. */
export interface RunWindowTable {
  run_id: string
  /** from 1, in the order in which they were recorded */
  number: number
  kind: WindowStepKind
  /** the first turn with it */
  at_turn: number
  from_turn: number
  through_turn: number
  /** of an elision: the last call of `through_turn` that it covers */
  through_position: number
  /** of an elision: larger results are left out, in bytes */
  results_over: number
  /** of a compaction: its summary, the model's words */
  text: string | null
  created_at: GeneratedTimestamp
}

export interface MessageTable {
  id: string
  run_id: string
  sequence: number
  turn: number | null
  role: 'user' | 'assistant'
  author: Jsonb<Actor | null>
  content_hash: string
  created_at: GeneratedTimestamp
}

export interface ToolCallTable {
  id: string
  run_id: string
  turn: number
  position: number
  tool_call_id: string
  tool: string
  input_hash: string
  digest: string | null
  verdict: Verdict | null
  rule: Jsonb<Rule | null>
  policy_digest: string | null
  read_only: Generated<boolean>
  manual: Generated<boolean>
  grant_id: string | null
  facts: Jsonb<CallFacts | null>
  request_id: string | null
  judged_times: Generated<number>
  result_type: CallResultType | null
  result_text_hash: string | null
  result_output_hash: string | null
  finished_at: Timestamp | null
}

export interface ExecutionTable {
  call_id: string
  attempt: number
  state: ExecutionState
  reason: string | null
  request_id: string | null
  permit_id: string | null
  grant_id: string | null
  executed_digest: string | null
  executor: string | null
  exit_code: number | null
  output_hash: string | null
  detail: Jsonb<JsonObject | null>
  settled_by: string | null
  settled_then: string | null
  epoch: number
  started_at: Timestamp | null
  finished_at: Timestamp | null
  /** how many files it changed that have no row; `null`: not known */
  more_changes: number | null
}

/** A file of a call's result; its bytes are in `content`. */
export interface ResultFileTable {
  call_id: string
  position: number
  hash: string
  /** an image type only when the bytes are such an image */
  media_type: string
  bytes: number
}

/** A file that somebody sent with a message; its bytes are in `content`. */
export interface MessageFileTable extends Omit<ResultFileTable, 'call_id'> {
  message_id: string
  /** its name at the sender, which is not a path */
  name: string
}

export interface RunTables {
  run: RunTable
  run_lineage: {
    run_id: string
    ancestor_id: string
    depth: number
  }
  /**
   * Turns at the beginning of a fork's transcript that another run took: from `first_turn` to
   * `last_turn`. A fork of a fork has a row for each run.
   */
  run_prefix: {
    run_id: string
    from_run_id: string
    first_turn: number
    last_turn: number
  }
  /** The people behind the run that a run was forked from, at that time. The trail has them too. */
  run_principal: {
    run_id: string
    person_id: string
  }
  run_window: RunWindowTable
  turn_attempt: {
    run_id: string
    turn: number
    attempt: number
    started_at: GeneratedTimestamp
    finished_at: Timestamp | null
    outcome: string | null
    input_tokens: string | null
    output_tokens: string | null
    cached_input_tokens: string | null
    cost_usd: number | null
    /** size of the prompt */
    prompt_bytes: string | null
  }
  message: MessageTable
  tool_call: ToolCallTable
  /** A person's call of a manual tool. Its `tool_call` has a turn of its own below zero. */
  manual_call: {
    call_id: string
    run_id: string
    invoked_by: string
    /** the run's last turn when it was made */
    after_turn: number
    /** the message by which its result entered the transcript */
    message_id: string | null
    created_at: GeneratedTimestamp
  }
  execution: ExecutionTable
  /** The newest bytes that a running command has written to one of its streams. */
  live_output: {
    call_id: string
    stream: 'stdout' | 'stderr'
    attempt: number
    /** how many bytes were written before these */
    skipped: number
    bytes: Buffer
  }
  /** A piece of what a model has written so far of the turn that is being taken. */
  live_text: {
    run_id: string
    turn: number
    attempt: number
    /** how many UTF-16 units of the attempt's text come before */
    start: number
    /** a JSON string */
    text: string
  }
  result_file: ResultFileTable
  message_file: MessageFileTable
  /** What a call did to a file of the workspace; see `FileChange`. */
  file_change: {
    id: GeneratedAlways<string>
    run_id: string
    call_id: string
    attempt: number
    position: number
    path: string
    from_path: string | null
    before_hash: string | null
    after_hash: string | null
    before_lines: Buffer | null
    after_lines: Buffer | null
  }
}
