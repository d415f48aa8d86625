import { sql } from 'kysely'
import { Problem } from '#domain/problem.ts'
import { reviewPath } from '#domain/requests/deployment.ts'
import type { DeploymentSetting } from '#policy/project-config.ts'
import { readApiKey } from '#services/access/api-keys/read-api-key.ts'
import type { SystemContext } from '#services/core/context.ts'
import { claimDeployment } from '#services/deployments/claim-deployment.ts'
import {
  approvedDeployment,
  findDeployment,
  type DeploymentRequest,
} from '#services/deployments/deployment-request.ts'
import { finishDeployment } from '#services/deployments/finish-deployment.ts'
import type { Db } from '#store/database.ts'
import type { DueDelivery, SendOutcome } from '../channels/channel.ts'
import { installationToken, postToGitHub, type GitHubAccess } from './github-token.ts'

export interface TellingGitHub extends Omit<GitHubAccess, 'signal'> {
  readonly ctx: SystemContext
  /** where links lead */
  readonly publicUrl: string
}

/** What GitHub is told, and until when a yes holds. */
interface Answer {
  readonly state: 'approved' | 'rejected'
  readonly until: Date | null
  /** as it was when its seal was verified */
  readonly request: DeploymentRequest['request']
}

/**
 * Tells GitHub whether a deployment goes on, as its request ended. A yes takes the permit first,
 * and holds as long as the permit would. Where it is told depends on the approved call and on
 * countersign.yaml alone, on nothing that the event said. `null`: this is no deployment's.
 */
export async function tellGitHub(
  options: TellingGitHub,
  due: DueDelivery,
  signal: AbortSignal,
): Promise<SendOutcome | null> {
  const { ctx } = options
  const at = due.requestId === null ? null : await findDeployment(ctx.db, due.requestId)
  if (at === null) return null
  try {
    const setting = await settingOf(options, at)
    const answer = await answerOf(ctx, at)
    if (answer.until !== null && answer.until < (await databaseTime(ctx.db))) {
      throw new Final('the hour of its approval is over, and GitHub was not reached')
    }
    const outcome = await post({ ...options, signal }, setting, at, answer)
    if (answer.state === 'approved') await note(ctx, at, due, outcome)
    return outcome
  } catch (error) {
    const isFinal = error instanceof Final
    const outcome = { status: null, error: (error as Error).message.slice(0, 500), isFinal }
    if (isFinal) await note(ctx, at, due, outcome)
    return outcome
  }
}

/** What no later attempt changes. */
class Final extends Error {}

async function settingOf(
  { ctx, secretOf }: TellingGitHub,
  { external }: DeploymentRequest,
): Promise<DeploymentSetting> {
  const { config } = await ctx.policies.inForce()
  const name = external.deployment?.name ?? ''
  const setting = config.deployments.get(name)
  if (setting === undefined) throw new Final(`deployments.${name} is no longer configured`)
  const key = await readApiKey(ctx, secretOf(setting.keyFrom) ?? '', null)
  if (key === null) throw new Error(`${setting.keyFrom} holds no valid API key`)
  if (key.ownerId === external.owner_id) return setting
  throw new Final(`${setting.keyFrom} is a key of somebody else by now`)
}

async function answerOf(ctx: SystemContext, { request }: DeploymentRequest): Promise<Answer> {
  const rejected = { state: 'rejected', until: null, request } as const
  if (request.state !== 'approved') return rejected
  const claimed = await claimDeployment(ctx, request.id)
  if (claimed instanceof Problem) return rejected
  return { state: 'approved', until: claimed.until, request: claimed.request }
}

async function post(
  access: GitHubAccess & Pick<TellingGitHub, 'ctx' | 'publicUrl'>,
  setting: DeploymentSetting,
  { external }: DeploymentRequest,
  { state, request }: Answer,
): Promise<SendOutcome> {
  const deployment = await approvedDeployment(access.ctx.db, request)
  if (deployment === null) throw new Final('the request is not for this deployment')
  if (!setting.repositories.includes(deployment.repository.toLowerCase())) {
    throw new Final(`deployments.${setting.name} no longer lists ${deployment.repository}`)
  }
  const installationId = external.deployment?.installationId ?? null
  const token = await installationToken(access, setting, installationId)
  const { status } = await postToGitHub(access, {
    url: `${setting.apiUrl}${reviewPath(deployment)}`,
    token,
    body: {
      environment_name: deployment.environment,
      state,
      comment: `Countersign #${request.number}: ${access.publicUrl}/requests/${request.id}`,
    },
  })
  if (status >= 200 && status < 300) return { status, error: null }
  // A refusal stays one; what is about the token or the load may change.
  const isFinal = status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
  return { status, error: `GitHub answered ${status}`, isFinal }
}

/** Only who took the permit can say what became of it. */
async function note(
  ctx: SystemContext,
  { request }: DeploymentRequest,
  { attempts }: DueDelivery,
  { error, isFinal, status }: SendOutcome,
): Promise<void> {
  if (error === null) {
    const summary = 'GitHub was told that the deployment goes on'
    return finishDeployment(ctx, request.id, { state: 'succeeded', summary })
  }
  if (isFinal !== true) return
  // An earlier attempt may have arrived although its answer did not.
  const state = attempts === 1 && status !== null ? 'failed' : 'unknown'
  await finishDeployment(ctx, request.id, { state, summary: error })
}

/** Whether the hour of an approval is over is judged by one clock. */
async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}
