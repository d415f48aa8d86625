import type { Json, JsonObject } from '#domain/json/json.ts'
import type { ParsedInput } from '#domain/tools/tool.ts'
import type { Approval, Risk, Scope } from '#domain/policy/verdict.ts'
import type { CustomPresentation } from './define-tool.ts'

/** A tool process' description of one tool. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input */
  readonly jsonSchema: JsonObject
  readonly risk: Risk
  readonly scopes: readonly Scope[]
  readonly idempotent: boolean
  readonly manual: boolean
  /** relative to the project folder */
  readonly file: string
}

/** Why a tool file, or one tool of it, could not be loaded. */
export interface ToolFileProblem {
  readonly file: string
  /** counts from 1; `null` when it is not known */
  readonly line: number | null
  readonly problem: string
  /** the file is not the one of the policy version */
  readonly changed: boolean
}

export interface LoadedTools {
  readonly tools: readonly ToolDescription[]
  readonly problems: readonly ToolFileProblem[]
}

export interface ToolProcessSetup {
  /** real path */
  readonly projectDir: string
  /** entry files, relative to the project folder */
  readonly entries: readonly string[]
  /** `sha256:…` of its recorded modules, by relative path: see `recordModules` */
  readonly hashes: Readonly<Record<string, string>>
  readonly maxResultBytes: number
}

/** One query to a tool process, which handles one at a time. */
export type ToolQuery =
  | { readonly do: 'load'; readonly setup: ToolProcessSetup }
  | { readonly do: 'parse'; readonly tool: string; readonly input: Json }
  | { readonly do: 'consider'; readonly tool: string; readonly input: Json }
  | { readonly do: 'approval'; readonly tool: string; readonly input: JsonObject }
  | { readonly do: 'present'; readonly tool: string; readonly input: JsonObject }
  | {
      readonly do: 'execute'
      readonly tool: string
      readonly input: JsonObject
      readonly idempotencyKey: string
    }

/** The parts of a presentation; each may have failed alone. */
export interface CustomPresented {
  readonly title: string | null
  readonly presentation: CustomPresentation | null
  readonly problems: readonly string[]
}

/** A part of the model's view of a result; `data` is base64. */
export type ModelOutputPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string }

/** The result of a plain AI SDK tool's `toModelOutput`. */
export interface ModelOutput {
  readonly isError: boolean
  readonly parts: readonly ModelOutputPart[]
}

/** How `execute` ended. `unusable`: it returned something that is not JSON, or too large. */
export type CustomResult =
  | {
      readonly type: 'output'
      readonly output: Json
      /** absent: the tool has none; `problem`: why it cannot be used */
      readonly modelOutput?: ModelOutput | { readonly problem: string }
    }
  | { readonly type: 'unusable'; readonly problem: string }
  | { readonly type: 'error'; readonly problem: string }

/**
 * A parsed input, with the tool's verdict if it came at once. After a failure the verdict is
 * requested alone.
 */
export type ConsideredInput =
  | Exclude<ParsedInput, { readonly ok: true }>
  | (Extract<ParsedInput, { readonly ok: true }> & { readonly approval?: Approval | null })

/** The answer to each query. */
export interface ToolAnswers {
  readonly load: LoadedTools
  readonly parse: ParsedInput
  readonly consider: ConsideredInput
  /** `null`: the tool declares none */
  readonly approval: Approval | null
  readonly present: CustomPresented
  readonly execute: CustomResult
}

/** The resources that queries have left in a tool process, including its own. */
export interface ProcessLoad {
  /** resident memory */
  readonly memoryBytes: number
  /** timers, sockets, files and the like that keep a process alive */
  readonly resources: number
}

/**
 * Messages of a tool process. `accepted` comes before any work on a query: a query without it can
 * be sent again. `loading` comes before each file: a file that never returns can be named. `ended`
 * is about a message that the process sent to others.
 */
export type FromMessage =
  | { readonly accepted: number }
  | { readonly id: number; readonly ok: true; readonly value: unknown; readonly left: ProcessLoad }
  | {
      readonly id: number
      readonly ok: false
      readonly problem: string
      readonly left: ProcessLoad
    }
  | { readonly loading: string }
  | { readonly ended: unknown }
