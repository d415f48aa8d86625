import type { z } from 'zod'
import type { allRoutes } from './routes/index.ts'

type AnyRoute = ReturnType<typeof allRoutes>[number]

/**
 * Each operation of the contract as its route declares it, by its name in the document. Types only:
 * for clients.
 */
type Operations = { readonly [Route in AnyRoute as Route['name']]: Route }

export type OperationName = keyof Operations

/** Method and path of each operation, `GET /v1/runs/:id`. */
export type OperationTable = {
  readonly [N in OperationName]: `${Uppercase<Operations[N]['method']>} ${Operations[N]['path']}`
}

type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : never

/** An address has fields of text, whatever they become; without a schema it has none. */
type AddressFields<Fields> = string extends keyof Fields
  ? Readonly<Record<string, never>>
  : { readonly [K in keyof Fields]: string | number | Extract<Fields[K], undefined> }

/** The names in a path, which are all needed. */
export type OperationParams<N extends OperationName> = AddressFields<Input<Operations[N]['params']>>

export type OperationQuery<N extends OperationName> = AddressFields<Input<Operations[N]['query']>>

export type OperationBody<N extends OperationName> = Input<Operations[N]['body']>

/** The JSON of each status under 300; `never` of an operation that answers with bytes. */
export type OperationAnswer<N extends OperationName> = AnswerOf<Operations[N]['answers']>

type AnswerOf<Answers> = {
  [Status in keyof Answers & (200 | 201 | 202)]: Answers[Status] extends {
    readonly schema: infer Schema extends z.ZodType
  }
    ? z.output<Schema>
    : never
}[keyof Answers & (200 | 201 | 202)]
