import { errorMessage } from '#domain/error-message.ts'
import { Problem } from '#domain/problem.ts'
import { reviewPath } from '#domain/requests/deployment.ts'
import { requestUrl } from '#domain/requests/request-url.ts'
import type { DeploymentSetting } from '#policy/project-config.ts'
import { readApiKey } from '#services/access/api-keys/read-api-key.ts'
import type { SigningSystemContext, SystemContext } from '#services/core/context.ts'
import { consumeDeploymentPermit } from '#services/deployments/consume-deployment-permit.ts'
import { approvedDeployment, findDeployment } from '#services/deployments/deployment-request.ts'
import { isListed } from '#services/deployments/open-deployment.ts'
import { finishDeployment } from '#services/deployments/finish-deployment.ts'
import type { ExternalRows } from '#services/external/external-rows.ts'
import { databaseTime } from '#store/database-time.ts'
import type { DueDelivery, SendOutcome } from '../channels/channel.ts'
import { installationToken, postToGitHub, type GitHubAccess } from './github-token.ts'

export interface GitHubAnswerContext extends Omit<GitHubAccess, 'signal'> {
  readonly ctx: SigningSystemContext
  /** the address in links */
  readonly publicUrl: string
}

/** The answer to GitHub, and until when a yes is valid. */
interface Answer {
  readonly state: 'approved' | 'rejected'
  readonly until: Date | null
  /** as it was when its seal was verified */
  readonly request: ExternalRows['request']
}

/**
 * Answers GitHub about a deployment, by the end of its request. A yes consumes the permit first,
 * and is valid as long as the permit would be. The address depends only on the approved call and
 * countersign.yaml, not on the event. `null`: it is not a deployment.
 */
export async function answerGitHub(
  options: GitHubAnswerContext,
  due: DueDelivery,
  signal: AbortSignal,
): Promise<SendOutcome | null> {
  const { ctx } = options
  const at = due.requestId === null ? null : await findDeployment(ctx.db, due.requestId)
  if (at === null) return null
  try {
    const setting = await settingOf(options, at)
    const answer = await answerOf(ctx, at)
    // By the clock of the database, on every host.
    if (answer.until !== null && answer.until < (await databaseTime(ctx.db))) {
      throw new FinalError('the hour of its approval is over, and GitHub was not reached')
    }
    const outcome = await post({ ...options, signal }, setting, at, answer)
    if (answer.state === 'approved') await recordResult(ctx, at, due, outcome)
    return outcome
  } catch (error) {
    const isFinal = error instanceof FinalError
    const outcome = { status: null, error: errorMessage(error).slice(0, 500), isFinal }
    if (isFinal) await recordResult(ctx, at, due, outcome)
    return outcome
  }
}

/** Errors that no later attempt can change. */
class FinalError extends Error {}

async function settingOf(
  { ctx, secretOf }: GitHubAnswerContext,
  { external }: ExternalRows,
): Promise<DeploymentSetting> {
  const { config } = await ctx.policies.inForce()
  const name = external.deployment?.name ?? ''
  const setting = config.deployments.get(name)
  if (setting === undefined) throw new FinalError(`deployments.${name} is no longer configured`)
  const key = await readApiKey(ctx, secretOf(setting.keyFrom) ?? '', null)
  if (key === null) throw new Error(`${setting.keyFrom} holds no valid API key`)
  if (key.ownerId === external.owner_id) return setting
  throw new FinalError(`${setting.keyFrom} is now the key of another person`)
}

async function answerOf(ctx: SigningSystemContext, { request }: ExternalRows): Promise<Answer> {
  const rejected = { state: 'rejected', until: null, request } as const
  if (request.state !== 'approved') return rejected
  const permitted = await consumeDeploymentPermit(ctx, request.id)
  if (permitted instanceof Problem) return rejected
  return { state: 'approved', until: permitted.until, request: permitted.request }
}

async function post(
  access: GitHubAccess & Pick<GitHubAnswerContext, 'ctx' | 'publicUrl'>,
  setting: DeploymentSetting,
  { external }: ExternalRows,
  { state, request }: Answer,
): Promise<SendOutcome> {
  const deployment = await approvedDeployment(access.ctx.db, request)
  if (deployment === null)
    throw new FinalError(
      'the request names no deployment with the id of its repository: start the deployment again',
    )
  if (!isListed(setting, deployment)) {
    throw new FinalError(`deployments.${setting.name} no longer lists ${deployment.repository}`)
  }
  const installationId = external.deployment?.installationId ?? null
  const token = await installationToken(access, setting, installationId)
  const { status } = await postToGitHub(access, {
    url: `${setting.apiUrl}${reviewPath(deployment)}`,
    token,
    body: {
      environment_name: deployment.environment,
      state,
      comment: `Countersign #${request.number}: ${requestUrl(access.publicUrl, request.id)}`,
    },
  })
  if (status >= 200 && status < 300) return { status, error: null }
  // A refusal is final; errors of the token or the load are not.
  const isFinal = status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
  return { status, error: `GitHub answered ${status}`, isFinal }
}

/** Only the process that consumed the permit knows its result. */
async function recordResult(
  ctx: SystemContext,
  { request }: ExternalRows,
  { attempts }: DueDelivery,
  { error, isFinal, status }: SendOutcome,
): Promise<void> {
  if (error === null) {
    const summary = 'GitHub received the approval of the deployment'
    return finishDeployment(ctx, request.id, { state: 'succeeded', summary })
  }
  if (isFinal !== true) return
  // An earlier attempt may have succeeded although its answer was lost.
  const state = attempts === 1 && status !== null ? 'failed' : 'unknown'
  await finishDeployment(ctx, request.id, { state, summary: error })
}
