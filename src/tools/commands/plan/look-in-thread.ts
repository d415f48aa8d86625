import { Worker } from 'node:worker_threads'
import { TooManyEntries, type ZoneNames } from '#sandbox/bwrap/names/look-for-names.ts'
import { threadEnvironment } from '#sandbox/process/thread-environment.ts'
import type { LookAnswer, LookRequest, ZonesToLook } from './look-protocol.ts'

/** How long a search of one command's zones may take: half a million files take seconds. */
const limitMs = 120_000
const seconds = limitMs / 1000

type PendingLook = PromiseWithResolvers<LookAnswer>

/** The one thread of this process that searches zones; it answers many queries concurrently. */
let thread: { readonly worker: Worker; readonly pending: Map<number, PendingLook> } | null = null
let lastId = 0

/** Finds the names that commands must not read or change. Rejects with `TooManyEntries`. */
export async function lookInThread(zones: ZonesToLook, bounded: boolean): Promise<ZoneNames> {
  const answer = await request({ do: 'look', zones, bounded })
  if (answer.type === 'names') return answer.names
  if (answer.type === 'cancelled') {
    const why = `could not be looked through within ${seconds} seconds`
    throw new TooManyEntries(`The worker's zones ${why}: give it smaller zones.`)
  }
  throw problemOf(answer)
}

/** Searches again and undoes changes of protected names, with a sentence for each. */
export async function undoInThread(
  zones: ZonesToLook,
  before: Pick<ZoneNames, 'guarded' | 'closed'>,
  untilMs: number,
): Promise<string[]> {
  const { closed, guarded } = before
  const answer = await request({ do: 'undo', zones, before: { closed, guarded }, untilMs })
  if (answer.type === 'undone') {
    const { done, more } = answer
    return more === 0 ? [...done] : [`it broke ${done.length + more} rules of this kind`, ...done]
  }
  if (answer.type === 'cancelled') {
    const why = `could not be looked through within ${seconds} seconds`
    return [`it left zones that ${why}: what it made of protected names stays`]
  }
  throw problemOf(answer)
}

function problemOf(answer: LookAnswer): Error {
  const message = 'message' in answer ? answer.message : 'The zones could not be looked through'
  return answer.type === 'tooMany' ? new TooManyEntries(message) : new Error(message)
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

async function request(
  question: WithoutId<Exclude<LookRequest, { do: 'cancel' }>>,
): Promise<LookAnswer> {
  const { pending, worker } = (thread ??= start())
  const id = (lastId += 1)
  const look: PendingLook = Promise.withResolvers()
  pending.set(id, look)
  worker.ref()
  const send = (message: LookRequest): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage(message)
  }
  const timer = setTimeout(() => send({ id, do: 'cancel' }), limitMs)
  try {
    send({ ...question, id })
    return await look.promise
  } finally {
    clearTimeout(timer)
    pending.delete(id)
    if (pending.size === 0) worker.unref()
  }
}

function start(): NonNullable<typeof thread> {
  const worker = new Worker(new URL('look-thread.ts', import.meta.url), {
    env: threadEnvironment(),
    execArgv: [],
  })
  const started = { worker, pending: new Map<number, PendingLook>() }
  worker.on('message', (answer: LookAnswer) => started.pending.get(answer.id)?.resolve(answer))
  const fail = (error: Error): void => {
    if (thread === started) thread = null
    for (const { reject } of started.pending.values()) reject(error)
  }
  worker.once('error', fail)
  worker.once('exit', () => fail(new Error('The thread that looks through zones has ended')))
  return started
}
