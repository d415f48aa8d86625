import type { Catchup } from '#domain/runs/schedule.ts'
import type { Json } from '#domain/json/json.ts'
import type { EditsPolicy } from '#domain/policy/verdict.ts'
import type {
  CommitSetting,
  RetentionSettings,
  SignInSettings,
  AuditSettings,
  WebhookSettings,
  SlackSettings,
  EmailSettings,
} from './settings.ts'
import type { ModelSetting } from './model-settings.ts'
import type { RoutingEntry, Overlay } from './routing.ts'
import type { WorkerDefinition, Zone, McpServer } from './worker-definition.ts'

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
  /** for a run's policy: the workspace in which paths are judged; absent: `default` */
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
  /** the most that models may cost in a month */
  readonly budgets: readonly MonthlyBudget[]
  /** when runs start, by name */
  readonly schedules: ReadonlyMap<string, ScheduleSetting>
  /** triggers that start runs at `/v1/triggers/NAME`, by name */
  readonly triggers: ReadonlyMap<string, TriggerSetting>
  /** repositories whose deployments ask at `/v1/deployments/NAME`, by name */
  readonly deployments: ReadonlyMap<string, DeploymentSetting>
}

/** The most that the models of a worker's runs may cost in a calendar month, UTC. */
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
  /** address of the person who starts its runs */
  readonly as: string
  readonly catchup: Catchup
  /** whether its runs rest after their answer */
  readonly conversation: boolean
  readonly source: string
}

/** A signed webhook, or a call with a key, that starts a run. */
export interface TriggerSetting {
  readonly name: string
  readonly worker: string
  /** address of the person who starts its runs; `null`: nobody */
  readonly as: string | null
  /** whether its runs rest after their answer */
  readonly conversation: boolean
  /** name of the environment variable that holds its secret */
  readonly secretFrom: string
  readonly source: string
}

/** Repositories of GitHub whose deployments need an approval here. */
export interface DeploymentSetting {
  readonly name: string
  /** name of the environment variable that holds the secret of the webhook */
  readonly secretFrom: string
  /** name of the variable with the API key that asks */
  readonly keyFrom: string
  /** how GitHub is answered: as an app, or with a token that somebody else renews */
  readonly answersAs:
    | { readonly kind: 'app'; readonly appId: number; readonly privateKeyFrom: string }
    | { readonly kind: 'token'; readonly tokenFrom: string }
  /** id at GitHub by OWNER/NAME in lower case */
  readonly repositories: ReadonlyMap<string, number>
  /** address by the id of the account at GitHub; `null`: no person of the project */
  readonly people: ReadonlyMap<number, string | null>
  readonly queue: string | null
  /** without a slash at the end */
  readonly apiUrl: string
  readonly source: string
}

export interface ConfiguredPerson {
  readonly email: string
  readonly name: string
  /** earlier addresses of the same human; absent: none */
  readonly formerly?: readonly string[]
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

export interface WorkspaceSetting {
  /** as written: absolute, or relative to the project folder */
  readonly root: string
  /** Temporal task queue of its host; `null`: this installation's own */
  readonly taskQueue: string | null
  /**
   * each root run works in a Git worktree of its own (product.md 35), which begins at the branch
   * `base` and is merged into it; `null`: the one that is checked out at its start. `copy`: paths
   * of the folder that no commit has and each worktree begins with. Absent: all runs work in the
   * folder itself
   */
  readonly worktree?: { readonly base: string | null; readonly copy: readonly string[] }
  /** where that is written; absent: nowhere */
  readonly source?: string
}

/** The rights that `rights` in countersign.yaml gives to teams and people. */
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

/** An MCP server that the service offers to programs; its calls are judged like those of runs. */
export interface GatewayServer {
  readonly server: McpServer
  /** the queue of its requests without a routing entry; `null`: the default queue */
  readonly queue: string | null
  /** how long an answer to a call that waits for people is delayed before it says "pending" */
  readonly holdMs: number
  /** what a standard-input server may touch */
  readonly zones: readonly Zone[]
  readonly sandbox: WorkerDefinition['sandbox']
}
