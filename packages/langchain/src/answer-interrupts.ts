import { askAbout, callDigest, settle } from '@countersign/client'
import type { AllowedCall, Call, CallRouting, Client } from '@countersign/client'
import type { Refusal, RequestSummary } from '@countersign/client'
import type { HumanInterrupt } from '@langchain/langgraph/prebuilt'
import type { HITLRequest } from 'langchain'

/** An interrupt as a graph returns it in `__interrupt__`. */
export interface GraphInterrupt {
  readonly id?: string
  readonly value?: unknown
}

/** The state of the calls for which a graph pauses. */
export interface AnsweredInterrupts {
  /** the pending requests; if there are none, continue the graph with `resume` */
  readonly waiting: readonly RequestSummary[]
  /** the argument of `new Command({ resume })`; `null` while a request is pending */
  readonly resume: Readonly<Record<string, unknown>> | null
  /** the requests whose permits were taken: report the outcome of their calls */
  readonly taken: readonly { readonly requestId: string; readonly name: string }[]
}

/**
 * Opens a request for every call for which a graph pauses. Reads interrupts of LangChain's
 * human-in-the-loop middleware and of LangGraph's agent inbox. Call it again later, also in another
 * process, with the interrupts of the stored state. Once all calls are decided, takes the permits
 * and returns an answer for each call in the shape of its interrupt: an approval, with new
 * arguments if a person changed them, or a refusal with the person's reason.
 *
 * Rejects with a `TypeError` for an interrupt of another shape, and if the service is unreachable.
 * It then opens no request.
 */
export async function answerInterrupts(
  client: Client,
  interrupts: readonly GraphInterrupt[],
  options: CallRouting = {},
): Promise<AnsweredInterrupts> {
  const pauses = interrupts.map(readPause)
  const actions = pauses.flatMap((pause) => pause.actions)
  const waiting = await askAbout(client, actions, (action) => callOf(action, options))
  if (waiting.length > 0) {
    return { waiting: waiting.map(({ request }) => request), resume: null, taken: [] }
  }
  const taken: { requestId: string; name: string }[] = []
  const resume: Record<string, unknown> = {}
  for (const pause of pauses) {
    const answers: object[] = []
    for (const action of pause.actions) {
      const settled = await settle(client, () => callOf(action, options))
      if ('permit' in settled) taken.push({ requestId: settled.requestId, name: action.name })
      answers.push(action.answer(settled))
    }
    resume[pause.id] = pause.isReview ? { decisions: answers } : answers
  }
  return { waiting: [], resume, taken }
}

/** One call for which a graph pauses, and `answer`, which makes the graph's answer. */
interface Action {
  readonly place: string
  readonly name: string
  readonly args: object
  readonly canApprove: boolean
  readonly canEdit: boolean
  readonly answer: (settled: AllowedCall<object> | Refusal) => object
}

/** The call of an action. Its `externalId` is unique for each pause and each input. */
async function callOf(action: Action, options: CallRouting): Promise<Call> {
  const { args: input, canApprove, canEdit, name: tool, place } = action
  if (!canApprove) throw new Error('its graph lets nobody approve this')
  const digest = await callDigest({ tool, input, toolHash: '' })
  const externalId = `langgraph:${place}:${digest.slice(7, 23)}`
  return { ...options, ...(canEdit ? {} : { edits: 'off' }), tool, input, externalId }
}

function readPause({ id, value }: GraphInterrupt) {
  if (id === undefined) throw new TypeError('this interrupt has no id')
  const isReview = isObject(value) && Array.isArray(value['actionRequests'])
  const read = isReview ? readReview(value as unknown as HITLRequest) : readInbox(value)
  const actions = read.map((action, index): Action => ({ ...action, place: `${id}:${index}` }))
  return { id, isReview, actions }
}

/** Reads the actions of an interrupt of LangChain's human-in-the-loop middleware. */
function readReview({ actionRequests, reviewConfigs }: HITLRequest): Omit<Action, 'place'>[] {
  return actionRequests.map(({ args, name }) => {
    const config = reviewConfigs.find(({ actionName }) => actionName === name)
    return {
      name,
      args,
      canApprove: config?.allowedDecisions.includes('approve') === true,
      canEdit: config?.allowedDecisions.includes('edit') === true,
      answer: (settled) => {
        if ('refusal' in settled) return { type: 'reject', message: settled.refusal }
        if (!settled.isChanged) return { type: 'approve' }
        return { type: 'edit', editedAction: { name, args: settled.input } }
      },
    }
  })
}

/** Reads the actions of an interrupt for LangGraph's agent inbox. */
function readInbox(value: unknown): Omit<Action, 'place'>[] {
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const isInbox = items.every((item) => isObject(item) && isObject(item['action_request']))
  if (items.length === 0 || !isInbox)
    throw new TypeError('this interrupt names no call that could be approved')
  return (items as HumanInterrupt[]).map(({ action_request: { action, args }, config }) => ({
    name: action,
    args,
    canApprove: config.allow_accept,
    canEdit: config.allow_edit,
    answer: (settled) => {
      if ('refusal' in settled) {
        if (!config.allow_respond) return { type: 'ignore', args: null }
        return { type: 'response', args: settled.refusal }
      }
      if (!settled.isChanged) return { type: 'accept', args: null }
      return { type: 'edit', args: { action, args: settled.input } }
    },
  }))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
