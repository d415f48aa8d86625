import type { z } from 'zod'

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object. */
export type JsonObject = { [key: string]: Json }

/** Whether a call runs: by itself, after a person has agreed, or never, with the reason. */
export type Approval = 'preApproved' | 'ask' | { readonly blocked: string }

export type Risk = 'low' | 'medium' | 'high'

/** How far an approval reaches: this call, or calls like it until the run has ended. */
export type Scope = 'once' | 'run'

/** What a custom tool's `execute` gets beside its input. */
export interface ToolContext {
  /** fires when the run is cancelled or the time is up; the process is ended two seconds later */
  readonly signal: AbortSignal
  /**
   * new for each attempt that a person requests; the same when a lost attempt is repeated by itself
   * (`idempotent`)
   */
  readonly idempotencyKey: string
}

/** What `present` answers: text that the approver reads, never markup. */
export interface CustomPresentation {
  readonly type: 'text' | 'diff' | 'file_content' | 'structured'
  readonly content: string
  readonly language?: string
  /** facts beside it, by names that are not Countersign's own; JSON of at most 16 KiB */
  readonly metadata?: JsonObject
}

/** A custom tool. `Schema` is a zod schema of an object. */
export interface ToolDefinition<Schema extends z.ZodType> {
  /** letters, digits, `_` and `-` */
  readonly name: string
  /** for the model */
  readonly description: string
  readonly inputSchema: Schema
  /**
   * Its own consent, or what decides it; `true` asks. Without it the call asks, unless the project
   * marks the tool otherwise.
   */
  readonly approval?:
    | Approval
    | boolean
    | ((input: z.output<Schema>) => Approval | boolean | Promise<Approval | boolean>)
  /** one line for people */
  readonly describe?: (input: z.output<Schema>) => string | Promise<string>
  /** what approvers read; the arguments when absent */
  readonly present?: (input: z.output<Schema>) => CustomPresentation | Promise<CustomPresentation>
  /** how far an approval may reach; `once` and `run` when absent */
  readonly scopes?: readonly Scope[]
  /** `medium` when absent */
  readonly risk?: Risk
  /**
   * `true`: a second attempt with the same key does no harm, so one that was lost is repeated
   * without asking people
   */
  readonly idempotent?: boolean
  /** `true`: only a person may invoke it */
  readonly manual?: boolean
  /** Acts. What it returns must be JSON; what it throws goes to the model as an error. */
  readonly execute: (input: z.output<Schema>, context: ToolContext) => unknown
}

/** What tells the service that `defineTool` made a value, whichever copy did. */
export const brand: unique symbol = Symbol.for('countersign.tool')

/** A definition that `defineTool` has made. */
export type DefinedTool<Schema extends z.ZodType = z.ZodType> = ToolDefinition<Schema> & {
  readonly [brand]: true
}
