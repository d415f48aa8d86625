/** One call for which a graph pauses, and how the graph is answered about it. */
export interface Action {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly canApprove: boolean
  readonly canEdit: boolean
  readonly approve: () => object
  readonly edit: (args: object) => object
  readonly refuse: (words: string) => object
}

/** A pause of a graph: its calls, and the value with which it goes on, of their answers in order. */
export interface Pause {
  readonly actions: readonly Action[]
  readonly resume: (answers: readonly object[]) => unknown
}

interface NamedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** As LangChain's human-in-the-loop middleware pauses. */
interface Reviewed {
  readonly actionRequests: readonly NamedCall[]
  readonly reviewConfigs: readonly {
    readonly actionName: string
    readonly allowedDecisions: readonly string[]
  }[]
}

/** As graphs pause for LangGraph's agent inbox. */
interface Inboxed {
  readonly action_request: { readonly action: string; readonly args: NamedCall['args'] }
  readonly config: Readonly<
    Record<'allow_accept' | 'allow_edit' | 'allow_ignore' | 'allow_respond', boolean>
  >
}

/**
 * The calls of an interrupt's value, in the shape of LangChain's human-in-the-loop middleware or of
 * LangGraph's agent inbox. Throws a `TypeError` for every other value.
 */
export function readPause(value: unknown): Pause {
  if (isObject(value) && Array.isArray(value['actionRequests'])) {
    const { actionRequests, reviewConfigs } = value as unknown as Reviewed
    return {
      actions: actionRequests.map((call) => {
        const { allowedDecisions = [] } =
          reviewConfigs.find(({ actionName }) => actionName === call.name) ?? {}
        return reviewed(call, allowedDecisions)
      }),
      resume: (decisions) => ({ decisions }),
    }
  }
  const items = Array.isArray(value) ? value : [value]
  if (items.length > 0 && items.every((item) => isObject(item) && isObject(item['action_request'])))
    return { actions: (items as Inboxed[]).map(inboxed), resume: (answers) => answers }
  throw new TypeError('this interrupt names no call that could be approved')
}

function reviewed({ args, name }: NamedCall, allowed: readonly string[]): Action {
  return {
    name,
    args,
    canApprove: allowed.includes('approve'),
    canEdit: allowed.includes('edit'),
    approve: () => ({ type: 'approve' }),
    edit: (changed) => ({ type: 'edit', editedAction: { name, args: changed } }),
    refuse: (message) => ({ type: 'reject', message }),
  }
}

function inboxed({ action_request: { action, args }, config }: Inboxed): Action {
  return {
    name: action,
    args,
    canApprove: config.allow_accept,
    canEdit: config.allow_edit,
    approve: () => ({ type: 'accept', args: null }),
    edit: (changed) => ({ type: 'edit', args: { action, args: changed } }),
    refuse: (words) =>
      config.allow_respond ? { type: 'response', args: words } : { type: 'ignore', args: null },
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
