import type { z } from 'zod'

/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object. */
export type JsonObject = { [key: string]: Json }

/** Whether a call runs without approval, only after a person has approved it, or never. */
export type Approval = 'preApproved' | 'ask' | { readonly blocked: string }

export type Risk = 'low' | 'medium' | 'high'

/** What an approval covers: this call only, or similar calls until the run has ended. */
export type Scope = 'once' | 'run'

/** The second argument of a custom tool's `execute`. */
export interface ToolContext {
  /** fires when the run is cancelled or times out; the process is killed two seconds later */
  readonly signal: AbortSignal
  /**
   * new for each attempt that a person requests; the same if the service repeats an interrupted
   * attempt by itself (`idempotent`)
   */
  readonly idempotencyKey: string
}

/** The result of `present`: plain text that the approver reads. Markup is not interpreted. */
export interface CustomPresentation {
  readonly type: 'text' | 'diff' | 'file_content' | 'structured'
  readonly content: string
  readonly language?: string
  /**
   * more facts for the approver, under names that Countersign does not use; at most 16 KiB of JSON
   */
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
   * whether a call needs an approval, or a function that decides it; `true` means `ask`. Default:
   * `ask`, unless the project configures the tool otherwise
   */
  readonly approval?:
    | Approval
    | boolean
    | ((input: z.output<Schema>) => Approval | boolean | Promise<Approval | boolean>)
  /** one line for people that describes the call */
  readonly describe?: (input: z.output<Schema>) => string | Promise<string>
  /** what approvers read; default: the arguments */
  readonly present?: (input: z.output<Schema>) => CustomPresentation | Promise<CustomPresentation>
  /** the scopes that an approval may have; default: `once` and `run` */
  readonly scopes?: readonly Scope[]
  /** default: `medium` */
  readonly risk?: Risk
  /**
   * `true`: a second attempt with the same key has no further effect, so the service repeats an
   * interrupted attempt without asking people
   */
  readonly idempotent?: boolean
  /** `true`: only a person may invoke it */
  readonly manual?: boolean
  /** Performs the call. The result must be JSON; the model gets the message of an error. */
  readonly execute: (input: z.output<Schema>, context: ToolContext) => unknown
}

/** Marks a value that `defineTool` made. All copies of this package share the symbol. */
export const brand: unique symbol = Symbol.for('countersign.tool')

/** The result of `defineTool`. */
export type DefinedTool<Schema extends z.ZodType = z.ZodType> = ToolDefinition<Schema> & {
  readonly [brand]: true
}
