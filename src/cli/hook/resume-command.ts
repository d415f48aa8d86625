import type { Environment } from '#runtime/environment.ts'
import { findService } from '../service/find-service.ts'
import { requireKey } from '../service/require-key.ts'
import { exitCodes, type ExitCode } from '../terminal/exit-codes.ts'
import { secondsOf } from '../terminal/wait-seconds.ts'
import { deferredFolder, type HookOptions } from './run-hook.ts'
import { resumeSessions, type ResumedSession } from './resume/resume-sessions.ts'
import { DeferredSessions } from './waiting/deferred-sessions.ts'
import { jsonText } from '../terminal/json-text.ts'

/** The options of `countersign hook claude-code resume`. */
export interface ResumeOptions extends HookOptions {
  readonly program?: string
  readonly json?: boolean
}

/**
 * Continues the sessions of this person whose calls are decided, and sets the exit code: `pending`
 * if some still wait, `failed` if one could not be continued.
 */
export async function runResumeCommand(
  words: readonly string[],
  options: ResumeOptions,
  environment: Environment,
): Promise<void> {
  const apiKey = requireKey(environment)
  const isJson = options.json === true
  const { url } = await findService(options, environment)
  const settings = {
    service: { url, apiKey },
    sessions: new DeferredSessions(deferredFolder(environment)),
    waitMs: options.wait === undefined ? 0 : secondsOf(options.wait) * 1000,
    program: options.program ?? 'claude',
    words,
    output: isJson ? 2 : 1,
  }
  const items = await resumeSessions(settings, (session) => {
    if (!isJson) console.error(sentenceOf(session))
  })
  if (isJson) console.log(jsonText({ items }, 2))
  else if (items.length === 0) console.error('No session waits.')
  else {
    for (const item of items.filter(({ state }) => state === 'pending')) {
      console.error(sentenceOf(item))
    }
  }
  process.exitCode = exitCodeOf(items)
}

function sentenceOf({ exitCode, number, problem, sessionId, state }: ResumedSession): string {
  const session = `Session ${sessionId} (#${number})`
  if (problem !== null) return `${session} was not continued: ${problem}`
  if (exitCode === null) return `${session} waits.`
  return `${session} was continued after its call was ${state}; Claude Code ended with ${exitCode}.`
}

function exitCodeOf(items: readonly ResumedSession[]): ExitCode {
  const isWaiting = ({ state }: ResumedSession): boolean => state === 'pending'
  if (items.some((item) => !isWaiting(item) && item.exitCode !== 0)) return exitCodes.failed
  return items.some(isWaiting) ? exitCodes.pending : exitCodes.done
}
