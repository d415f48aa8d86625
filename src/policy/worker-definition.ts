import type { NetworkAccess } from '#domain/network/network-access.ts'
import type { Operation } from '#domain/tools/access.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { WorkerModelSettings } from './model-settings.ts'
import type { Consent } from './routing.ts'

/**
 * workers/NAME.md. `digest` covers name, text, script and the version of the preamble: a run pins
 * it at its start.
 */
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
  /** whether its runs are conversations; `null`: as its starter says */
  readonly conversation: boolean | null
  /** how long a conversation rests before it ends by itself */
  readonly restForMs: number
  /** its runs ask before they begin, and where that is written; `null`: they do not */
  readonly startApproval: { readonly source: string } | null
  /** JSON Schema of a run's input; `null`: any text or object */
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
  /** where that is written; absent: nowhere */
  readonly workersSource?: string
  readonly mcpServers: ReadonlyMap<string, McpServer>
}

export interface WorkerLimits {
  readonly turns: number
  readonly calls: number
  readonly tokens: number
  /** of the whole run until somebody resumes it; `null`: as much as its tokens cost */
  readonly costUsd: number | null
}

export interface Zone {
  readonly name: string
  /** canonical and relative to the workspace root; `''` is the root itself */
  readonly root: string
  readonly mode: 'ro' | 'rw'
  /** with the dot; `null`: any */
  readonly suffixes: readonly string[] | null
  /** only what the file says; the judge adds the defaults */
  readonly approval: Readonly<Partial<Record<Operation, Consent>>>
  /** globs of protected names that ask at high risk in this zone instead of being blocked */
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
  /** `null`: only the tool's own approval counts */
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
