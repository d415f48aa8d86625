import { spawn } from 'node:child_process'
import { errorMessage } from '#domain/error-message.ts'
import { createClient, type Client, type RequestState } from '#program-client'
import { CommandFailure } from '../../terminal/exit-codes.ts'
import type { DeferredSession, DeferredSessions } from '../waiting/deferred-sessions.ts'

/** How sessions are continued. */
export interface ResumeSettings {
  readonly service: { readonly url: string; readonly apiKey: string }
  readonly sessions: DeferredSessions
  /** how long to wait for decisions; 0: only those that exist */
  readonly waitMs: number
  /** the program of Claude Code, and its arguments beside the session */
  readonly program: string
  readonly words: readonly string[]
  /** the file descriptor to which its standard output goes */
  readonly output: number
}

/** The result for a session. */
export interface ResumedSession {
  readonly sessionId: string
  readonly requestId: string
  readonly number: number
  /** the state of the request; `null`: it could not be read */
  readonly state: RequestState | null
  /** the exit code of Claude Code; `null`: the session was not continued */
  readonly exitCode: number | null
  readonly problem: string | null
}

/** The longest wait before sessions that have ended meanwhile are looked for. */
const roundMs = 30_000

/**
 * Continues each session whose call is decided, one after the other: an approved call is made once,
 * and the model reads every other end. Nothing is decided here. A session that ends again with a
 * call that waits is waited for too.
 */
export async function resumeSessions(
  settings: ResumeSettings,
  onResumed: (session: ResumedSession) => void,
): Promise<readonly ResumedSession[]> {
  const { service, sessions, waitMs } = settings
  const client = createClient(service)
  const endsAt = performance.now() + waitMs
  const results = new Map<string, ResumedSession>()
  for (;;) {
    const own = (await sessions.list()).filter(({ url }) => url === service.url)
    const openSessions = own.filter(({ requestId }) => !results.has(requestId))
    const leftMs = endsAt - performance.now()
    const isLast = leftMs <= 0 || openSessions.length === 0
    if (!isLast) await untilOneEnds(client, openSessions, Math.min(leftMs, roundMs))
    let isAny = false
    const pending: ResumedSession[] = []
    for (const session of openSessions) {
      const state = await stateOf(client, session)
      if (state === 'pending') {
        pending.push({ ...describeSession(session), state, exitCode: null, problem: null })
        continue
      }
      const result = await resume(session, state, settings)
      if (result === null) continue
      isAny = true
      results.set(session.requestId, result)
      onResumed(result)
    }
    // A session that was continued may wait again by now.
    if (isLast && !isAny) return [...results.values(), ...pending]
  }
}

/** `null`: another process continues the session. */
async function resume(
  session: DeferredSession,
  state: RequestState | Error,
  { output, program, sessions, words }: ResumeSettings,
): Promise<ResumedSession | null> {
  if (state instanceof Error) {
    return { ...describeSession(session), state: null, exitCode: null, problem: state.message }
  }
  if (!(await sessions.claim(session))) return null
  let exitCode: number | null = null
  let problem: string | null = null
  try {
    exitCode = await runClaude(session, { program, words, output })
  } catch (error) {
    problem = errorMessage(error)
  } finally {
    await sessions.release(session, { isDone: exitCode === 0 })
  }
  return { ...describeSession(session), state, exitCode, problem }
}

async function stateOf(
  client: Client,
  { requestId }: DeferredSession,
): Promise<RequestState | Error> {
  try {
    return (await client.decision(requestId)).state
  } catch (error) {
    return error instanceof Error ? error : new CommandFailure(String(error))
  }
}

/** Resolves once one of them is decided, or after the time. */
async function untilOneEnds(
  client: Client,
  sessions: readonly DeferredSession[],
  withinMs: number,
): Promise<void> {
  const others = new AbortController()
  const wait = Math.max(1, Math.floor(withinMs / 1000))
  const answers = sessions.map(({ requestId }) =>
    client.decision(requestId, { wait, signal: others.signal }).catch(() => undefined),
  )
  await Promise.race(answers)
  others.abort()
  await Promise.all(answers)
}

function describeSession({
  number,
  requestId,
  sessionId,
}: DeferredSession): Pick<ResumedSession, 'number' | 'requestId' | 'sessionId'> {
  return { sessionId, requestId, number }
}

/**
 * Continues a session in print mode, in its folder and permission mode, and resolves with the exit
 * code. Rejects if the program cannot be started. No shell reads the words.
 */
function runClaude(
  { folder, permissionMode, sessionId }: DeferredSession,
  of: { readonly program: string; readonly words: readonly string[]; readonly output: number },
): Promise<number> {
  const words = ['-p', '--resume', sessionId, '--permission-mode', permissionMode, ...of.words]
  const child = spawn(of.program, words, { cwd: folder, stdio: ['ignore', of.output, 2] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}
