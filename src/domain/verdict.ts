/** What policy says of a call before any person is asked (product.md, words). `error`: steps 1 to 3 refused it. */
export type Verdict = 'preApproved' | 'ask' | 'blocked' | 'error'

/** The rule that decided a verdict: its stable id, its text for people, and `file:line` where it is written. */
export interface Rule {
  readonly id: string
  readonly text: string
  readonly source: string | null
}

/** Risk comes from the registry and routing, never from the caller; unknown means `high`. */
export type Risk = 'low' | 'medium' | 'high'

/** How far an approval reaches (product.md 10). `command` is reserved for commands. */
export type Scope = 'once' | 'run' | 'path' | 'command'

/** What a worker file, overlay or tool says of consent. */
export type Approval = 'preApproved' | 'ask' | { readonly blocked: string }

/** How a run treats verdict `ask` (product.md 21). */
export type RunMode = 'prompt' | 'strict' | 'approve_all'

/** What a queue allows people to do to a call before deciding it (product.md 11). */
export type EditsPolicy = 'approve' | 'revise' | 'off'
