/** The approvals that a worker file, overlay or tool can state. */
export const approvalWords = ['preApproved', 'ask', 'blocked'] as const
export type ApprovalWord = (typeof approvalWords)[number]

/**
 * The judgement of a call by policy before any person is asked (product.md, words). `error`: steps
 * 1 to 3 refused it.
 */
export const verdicts = [...approvalWords, 'error'] as const
export type Verdict = (typeof verdicts)[number]

/** The rule that decided a verdict: its stable id, its text, and its place as `file:line`. */
export interface Rule {
  readonly id: string
  readonly text: string
  readonly source: string | null
}

/**
 * In ascending order. Risk comes from the registry and routing, never from the caller; unknown
 * means `high`.
 */
export const risks = ['low', 'medium', 'high'] as const
export type Risk = (typeof risks)[number]

/** Approvals that cover more than one call (product.md 10); `command` is for commands. */
export const widerScopes = ['run', 'path', 'command'] as const
/** How far an approval reaches. */
export const scopes = ['once', ...widerScopes] as const
export type Scope = (typeof scopes)[number]

/** The scopes of a tool that touches one file, and the default where routing lists none. */
export const usualScopes = ['once', 'run', 'path'] as const satisfies readonly Scope[]

/** The approval that a worker file, overlay or tool states. */
export type Approval = Exclude<ApprovalWord, 'blocked'> | { readonly blocked: string }

/** How a run treats verdict `ask` (product.md 21). */
export const runModes = ['prompt', 'strict', 'approve_all'] as const
export type RunMode = (typeof runModes)[number]

/** What a queue lets people change in a call (product.md 11), in ascending strictness. */
export const editsPolicies = ['approve', 'revise', 'off'] as const
export type EditsPolicy = (typeof editsPolicies)[number]
