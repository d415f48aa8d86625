import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from '#domain/error-code.ts'
import { Problem } from '#domain/problem.ts'
import { oneAtATime } from '#domain/sharing/one-at-a-time.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { errorText } from '#services/core/problems/error-text.ts'
import { activateFolder } from '#services/policy/activate-policy.ts'
import { newestActivation } from '#services/policy/activations/newest-activation.ts'
import { watchProject } from '#services/policy/watch-project.ts'
import type { Policy } from '#policy/policy.ts'
import type { ToolFileProblem } from '#tools/custom/tool-protocol.ts'
import type { Config } from '../config/config.ts'
import { Refusal } from '../processes/serve-process.ts'
import { toolProblemsText } from './tool-problems-text.ts'
import type { Log, SigningSystemContext } from '#services/core/context.ts'

const retryMs = 2000

/** What a person who saves a change reads, and who knows it. */
interface ProjectAnswers {
  /** Gets the result of each change after the start. */
  readonly say: (sentence: string) => void
  /**
   * What of the tool files in force does not load on the Temporal worker: this process runs no code
   * of the project. Rejects if none answers.
   */
  readonly toolProblems: () => Promise<readonly ToolFileProblem[]>
}

/**
 * Puts the project folder's version in force at start, when its files change and on SIGHUP. In
 * production it does so only for the very first version; later ones need a person
 * (workers-and-policy.md). An invalid folder at start is a `Refusal` with every problem; later, the
 * last valid version stays in force and the problems are logged. A valid change that could not be
 * stored, as during an outage, is tried again. `undo` gets what must be undone. `answers` are for
 * the person who saved a change.
 */
export async function putProjectIntoForce(
  ctx: SigningSystemContext,
  config: Pick<Config, 'projectDir' | 'isProduction'>,
  undo: AsyncDisposableStack,
  answers: ProjectAnswers,
): Promise<void> {
  const { projectDir } = config
  const { say } = answers
  if (config.isProduction) {
    const { statement, audited } = await newestActivation(ctx.db, ctx.verifier)
    if (statement !== null || audited > 0) return
    await activateAtStart(ctx, projectDir)
    return
  }
  const policyAtStart = await activateAtStart(ctx, projectDir)
  /** the failure that was logged last, until a version is valid: a slow save is logged once */
  let lastLogged: { readonly problems: string; readonly isInvalid: boolean } | null = null
  const activateNow = async () => {
    const { changed, policy, warnings } = await activateFolder(ctx, projectDir)
    const failure = lastLogged
    lastLogged = null
    if (!changed) {
      if (failure?.isInvalid === true)
        say('the project is valid again, and the version in force is the same')
      // The answer to its commit was lost.
      if (failure?.isInvalid === false) {
        say('the project in this folder is in force')
        void sayToolProblems(policy)
      }
      return
    }
    ctx.log.info(
      { policyDigest: policy.digest, warnings: warnings.length },
      'a changed project was activated',
    )
    say(`the changed project is in force${warningsText(warnings.length)}`)
    void sayToolProblems(policy)
  }
  const isOver = new AbortController()
  undo.defer(() => isOver.abort())
  const sayToolProblems = toolProblemsReport(ctx.log, answers, isOver.signal, policyAtStart)
  let isRetrying = false
  const retry = async () => {
    if (isRetrying) return
    isRetrying = true
    await delay(retryMs, undefined, { signal: isOver.signal, ref: false })
    isRetrying = false
    watch.lookAgain()
  }
  const logFailure = (reason: unknown) => {
    if (isOver.signal.aborted) return
    const isInvalid = reason instanceof Problem && reason.code === 'invalid_request'
    if (!isInvalid) void retry().catch(logFailure)
    const facts = reason instanceof Problem ? reason.facts : { error: errorText(reason) }
    const problems = JSON.stringify(facts)
    if (problems === lastLogged?.problems) return
    lastLogged = { problems, isInvalid }
    const what = isInvalid ? 'is not valid' : 'could not be activated, and is tried again'
    ctx.log.error(
      { problems: facts },
      `the changed project ${what}: the last valid version stays in force`,
    )
    say(`the changed project ${what}, the last valid version stays in force:\n${errorText(reason)}`)
  }
  // Of two at once, the one that read the folder first could store its version last.
  const again = () => oneAtATime(`project ${projectDir}`, activateNow)
  const onWatchError = watchErrorReport(ctx.log, say, isOver.signal)
  const watch = undo.use(
    watchProject({ projectDir, onChange: again, onError: logFailure, onWatchError }),
  )
  const reload = () => void again().catch(logFailure)
  process.on('SIGHUP', reload)
  undo.defer(() => void process.off('SIGHUP', reload))
  await watch.ready
  // Reads the folder again, for changes after it was read and before it was watched.
  await again().catch(logFailure)
}

/** Says once for each kind of error that files cannot be watched: there is one for each file. */
function watchErrorReport(log: Log, say: ProjectAnswers['say'], isOver: AbortSignal) {
  const codes = new Set<string | null>()
  return (error: unknown): void => {
    const code = errorCode(error)
    if (codes.has(code) || isOver.aborted) return
    codes.add(code)
    log.error({ error: errorText(error) }, 'changes of the project may go unnoticed')
    say(
      `changes of the project may go unnoticed (${errorText(error)}): after a change, send SIGHUP to the API or start it again`,
    )
  }
}

/**
 * Says what of a version's tool files does not load, unless the version before had the same. The
 * Temporal worker says it of those at start.
 */
function toolProblemsReport(
  log: Log,
  { say, toolProblems }: ProjectAnswers,
  isOver: AbortSignal,
  policyAtStart: Policy,
) {
  let lastFiles = JSON.stringify(policyAtStart.toolFiles)
  return async ({ toolFiles }: Policy): Promise<void> => {
    const files = JSON.stringify(toolFiles)
    if (files === lastFiles) return
    lastFiles = files
    const isStale = () => isOver.aborted || files !== lastFiles
    if (toolFiles.length === 0) return
    try {
      const sentence = toolProblemsText(await toolProblems())
      if (sentence === null || isStale()) return
      log.warn({}, sentence)
      say(sentence)
    } catch (error) {
      if (isStale()) return
      lastFiles = '[]'
      log.warn({ error: errorText(error) }, 'it is not known whether the tool files load')
      say('no Temporal worker says whether the tool files load: countersign check says it')
    }
  }
}

function warningsText(count: number): string {
  if (count === 0) return ''
  return `, with ${countWords(count, 'warning')}: countersign check shows ${count === 1 ? 'it' : 'them'}`
}

async function activateAtStart(ctx: SigningSystemContext, projectDir: string): Promise<Policy> {
  try {
    const { policy, changed, warnings } = await activateFolder(ctx, projectDir)
    ctx.log.info(
      { policyDigest: policy.digest, changed, warnings: warnings.length },
      'the policy is in force',
    )
    return policy
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error
    throw new Refusal(`${projectDir} is not a valid project folder:\n${error.message}`)
  }
}
