import type { EndpointProvider, ReasoningEffort } from '#domain/model-provider.ts'
import type { CueId } from '#domain/policy/cues.ts'
import type { Catchup } from '#domain/runs/schedule.ts'
import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { Operation } from '#domain/tools/tool.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Quorum } from '#domain/requests/request.ts'
import type { ApprovalWord, EditsPolicy, Risk, Scope } from '#domain/policy/verdict.ts'
import type {
  CommitSetting,
  RetentionSettings,
  SignInSettings,
  AuditSettings,
  WebhookSettings,
  SlackSettings,
  EmailSettings,
} from './settings.ts'

/**
 * One version of a project folder, parsed and valid. `digest` is content-addressed: the hash of
 * every file that counts (see version-digest.ts), so that two folders with the same files are the
 * same version.
 */
export interface Policy {
  readonly digest: string
  readonly config: ProjectConfig
  readonly workers: ReadonlyMap<string, WorkerDefinition>
  /**
   * every file below `tools/`, by path relative to the project folder; `hash` is `sha256:…` of its
   * bytes
   */
  readonly toolFiles: readonly ToolFile[]
  /** what the version was parsed from, for storing it */
  readonly files: ProjectFiles
}

/**
 * The files of a project folder that make a version. Paths are relative to the folder,
 * `/`-separated.
 */
export interface ProjectFiles {
  /** `countersign.yaml`, `workers/*.md`, and the scripts that workers name */
  readonly texts: ReadonlyMap<string, string>
  readonly toolFiles: readonly ToolFile[]
}

export interface ToolFile {
  readonly path: string
  readonly hash: string
}

/** One thing that is wrong with a project folder: where, what, and what would be right. */
export interface ProjectProblem {
  readonly file: string
  /** counts from 1; `null` when the whole file is meant */
  readonly line: number | null
  readonly problem: string
  readonly remedy: string
  /** a warning leaves the version valid */
  readonly severity: 'error' | 'warning'
}

/** countersign.yaml. Durations in milliseconds; `source` is `file:line`. */
export interface ProjectConfig {
  /** everybody named under `people` or in a team; e-mail addresses in lower case */
  readonly people: readonly ConfiguredPerson[]
  readonly teams: ReadonlyMap<string, Team>
  readonly queues: ReadonlyMap<string, Queue>
  readonly defaultQueue: string | null
  /** where that is written; absent: nowhere */
  readonly defaultQueueSource?: string
  /** first match wins */
  readonly routing: readonly RoutingEntry[]
  readonly overlays: readonly Overlay[]
  /** always has `default` */
  readonly workspaces: ReadonlyMap<string, WorkspaceSetting>
  /** the one in which paths are judged, of the policy of a run; absent: `default` */
  readonly workspace?: string
  /** by the name of a model, with or without its provider */
  readonly models: ReadonlyMap<string, ModelSetting>
  readonly rights: Readonly<Record<Right, readonly Holder[]>>
  readonly webhooks: WebhookSettings
  readonly audit: AuditSettings
  readonly signIn: SignInSettings
  readonly retention: RetentionSettings
  /** `null`: the worker's, and the service's own */
  readonly commit: CommitSetting | null
  /** `null`: no mail is sent */
  readonly email: EmailSettings | null
  readonly slack: SlackSettings | null
  /** servers that programs use at `/mcp/NAME`, by name */
  readonly mcpServers: ReadonlyMap<string, GatewayServer>
  /** what models may cost in a month */
  readonly budgets: readonly MonthlyBudget[]
  /** when runs start, by name */
  readonly schedules: ReadonlyMap<string, ScheduleSetting>
  /** what starts runs at `/v1/triggers/NAME`, by name */
  readonly triggers: ReadonlyMap<string, TriggerSetting>
}

/** What the models of a worker's runs may cost in a calendar month, UTC. */
export interface MonthlyBudget {
  /** `*`: of all workers together */
  readonly worker: string
  readonly costUsd: number
}

/** Times at which runs of a worker start. */
export interface ScheduleSetting {
  readonly name: string
  readonly worker: string
  readonly input: Json
  /** five fields, which are valid */
  readonly cron: string
  readonly timezone: string
  /** address of who starts its runs */
  readonly as: string
  readonly catchup: Catchup
  readonly source: string
}

/** A signed webhook, or a call with a key, that starts a run. */
export interface TriggerSetting {
  readonly name: string
  readonly worker: string
  /** address of who starts its runs; `null`: nobody */
  readonly as: string | null
  /** name of the environment variable that holds its secret */
  readonly secretFrom: string
  readonly source: string
}

/** What countersign.yaml says of a model. */
export interface ModelSetting {
  readonly price: ModelPrice | null
  /** how many tokens it takes; `null`: what is known of it */
  readonly context: number | null
  /** where models are asked as `NAME:MODEL`; `null`: the entry is of a model */
  readonly endpoint: ModelEndpoint | null
}

/** An address of its own at which a provider's protocol is spoken. */
export interface ModelEndpoint {
  readonly provider: EndpointProvider
  /** `null`: the provider's own */
  readonly baseUrl: string | null
  /** the environment variable that holds the key; `null`: it takes none, or the provider's own */
  readonly apiKeyFrom: string | null
  /** whether its models see pictures */
  readonly pictures: boolean
  readonly source: string
}

/** How a worker's model is asked; `null`: as the provider does it. */
export interface WorkerModelSettings {
  readonly temperature: number | null
  /** the most that one answer may have, in tokens */
  readonly maxOutputTokens: number | null
  readonly reasoning: ReasoningEffort | null
  /** whether providers are told what of a prompt to keep for the next step */
  readonly cache: boolean
}

/** In USD for a million tokens. */
export interface ModelPrice {
  readonly input: number
  /** of tokens that the provider read from its cache */
  readonly cachedInput: number
  readonly output: number
}

export interface ConfiguredPerson {
  readonly email: string
  readonly name: string
}

export interface Team {
  readonly name: string
  /** e-mail addresses in lower case */
  readonly members: readonly string[]
  readonly source: string
}

export interface Queue {
  readonly name: string
  readonly team: string
  readonly selfApproval: boolean
  /** `null`: `revise` (product.md 11) */
  readonly edits: EditsPolicy | null
  readonly signature: 'optional' | 'required'
  readonly permitForMs: number
  readonly expiresAfterMs: number
  readonly remindAfterMs: readonly number[]
  readonly escalate: readonly { readonly afterMs: number; readonly addTeams: readonly string[] }[]
  readonly source: string
}

/**
 * `null`: not given, matches everything. Within one list any value may match; all that are given
 * must match.
 */
export interface When {
  /** names or globs of tools */
  readonly tool: readonly string[] | null
  /** globs, relative to the workspace root */
  readonly path: readonly string[] | null
  readonly worker: readonly string[] | null
  readonly queue: readonly string[] | null
  /** shell patterns */
  readonly command: readonly string[] | null
  readonly risk: readonly Risk[] | null
  /** ids of cues (product.md 38) */
  readonly cue: readonly CueId[] | null
}

export interface RoutingEntry {
  readonly when: When
  /** `null`: the worker's queue, else the default one */
  readonly queue: string | null
  readonly risk: Risk | null
  readonly quorum: QuorumSetting | null
  /** `null`: what the tool offers, but for `command` */
  readonly scopes: readonly Scope[] | null
  readonly source: string
}

/** `count` is of the queue's team. */
export type QuorumSetting = { readonly count: number } | { readonly places: Quorum }

export interface Overlay {
  readonly when: When
  readonly consent: Consent
}

/** A worker file's, zone's or overlay's word on consent, with where it is written. */
export interface Consent {
  readonly approval: ApprovalWord
  /** what the model is told of a block, what people read beside an ask */
  readonly reason: string | null
  readonly source: string
}

export interface WorkspaceSetting {
  /** as written: absolute, or relative to the project folder */
  readonly root: string
  /** Temporal task queue of the host that has it; `null`: this installation's own */
  readonly taskQueue: string | null
  /**
   * each root run works in a Git worktree of its own (product.md 35), which begins at the branch
   * `base` and is merged into it; `null`: the one that is checked out at its start. Absent: all
   * runs work in the folder itself
   */
  readonly worktree?: { readonly base: string | null }
  /** where that is written; absent: nowhere */
  readonly source?: string
}

export const rightNames = [
  'startApproveAll',
  'manageRuns',
  'readAudit',
  'activatePolicy',
  'managePeople',
] as const
export type Right = (typeof rightNames)[number]
export type Holder =
  | { readonly team: string }
  /** e-mail address in lower case */
  | { readonly person: string }

/** workers/NAME.md. `digest` covers name, text and script: what a run pins when it starts. */
export interface WorkerDefinition {
  readonly name: string
  readonly digest: string
  /** the file's whole text */
  readonly text: string
  /** the text of the script that the model names, when it is `script:…` */
  readonly script: string | null
  readonly description: string
  /** `provider:model`, or `script:path` */
  readonly model: string
  readonly settings: WorkerModelSettings
  readonly instructions: string
  readonly queue: string | null
  /** where that is written; absent: nowhere */
  readonly queueSource?: string
  readonly limits: WorkerLimits
  /** whether its runs are conversations; `null`: whoever starts one says */
  readonly conversation: boolean | null
  /** how long a conversation rests before it ends by itself */
  readonly restForMs: number
  /** its runs ask before they begin, and where that is written; `null`: they do not */
  readonly startApproval: { readonly source: string } | null
  /** JSON Schema of what a run is started with; `null`: any text or object */
  readonly input: JsonObject | null
  /** names of workspaces that its runs may work in; absent: `default` */
  readonly workspaces?: readonly string[]
  /** teams; `null`: anybody who may start runs */
  readonly startableBy: readonly string[] | null
  readonly zones: readonly Zone[]
  readonly sandbox: { readonly required: boolean; readonly network: NetworkAccess }
  /** `null`: no commands */
  readonly shell: ShellPolicy | null
  readonly tools: ReadonlyMap<string, ToolSetting>
  /** which workers it may call */
  readonly workers: readonly string[]
  readonly mcpServers: ReadonlyMap<string, McpServer>
}

export interface WorkerLimits {
  readonly turns: number
  readonly calls: number
  readonly tokens: number
  /** of the whole run until somebody lets it go on; `null`: as much as its tokens cost */
  readonly costUsd: number | null
}

export interface Zone {
  readonly name: string
  /** canonical and relative to the workspace root; `''` is the root itself */
  readonly root: string
  readonly mode: 'ro' | 'rw'
  /** with the dot; `null`: any */
  readonly suffixes: readonly string[] | null
  /** only what the file says; the defaults are the judge's */
  readonly approval: Readonly<Partial<Record<Operation, Consent>>>
  /** globs of protected names that this zone makes ask at high risk instead of blocking them */
  readonly protected: readonly string[]
  readonly source: string
}

export interface ShellPolicy {
  readonly default: 'ask' | 'blocked'
  readonly rules: readonly ShellRule[]
  readonly source: string
}

export interface ShellRule {
  readonly pattern: readonly string[]
  readonly consent: Consent
  readonly description: string | null
  /** names of zones */
  readonly zones: readonly string[] | null
  readonly unlessArgs: readonly string[]
}

export interface ToolSetting {
  /** `null`: the tool's own word counts alone */
  readonly consent: Consent | null
  readonly manual: boolean
  readonly source: string
}

export interface McpServer {
  readonly name: string
  readonly transport:
    | {
        readonly type: 'stdio'
        readonly command: string
        readonly args: readonly string[]
        readonly env: Readonly<Record<string, string>>
      }
    | {
        readonly type: 'http'
        readonly url: string
        readonly headers: Readonly<Record<string, string>>
      }
  readonly tools: ReadonlyMap<string, Consent>
  readonly source: string
}

/** An MCP server that the service offers to programs; its calls are judged like those of runs. */
export interface GatewayServer {
  readonly server: McpServer
  /** where its requests go when routing says nothing; `null`: the default queue */
  readonly queue: string | null
  /** how long a call that waits for people is held before it is answered "pending" */
  readonly holdMs: number
  /** what a standard-input server may touch */
  readonly zones: readonly Zone[]
  readonly sandbox: WorkerDefinition['sandbox']
}

/** A scripted model's fixed turns (workers-and-policy.md). */
export interface Script {
  readonly turns: readonly ScriptTurn[]
}

export interface ScriptTurn {
  readonly text: string
  readonly calls: readonly {
    readonly id: string | null
    readonly tool: string
    readonly input: Json
  }[]
}
