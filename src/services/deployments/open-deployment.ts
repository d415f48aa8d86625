import { Problem } from '#domain/problem.ts'
import { deploymentTool, reviewPath, type Deployment } from '#domain/requests/deployment.ts'
import type { DeploymentSetting } from '#policy/project-config.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { openExternal } from '../external/open-external.ts'
import { invalid } from '../core/problems/invalid.ts'

/** An account at GitHub. The id stays; a login can be given up, and then taken by somebody else. */
export interface GitHubAccount {
  readonly id: number
  readonly login: string
}

/** A deployment that waits for an answer, from an event of GitHub whose signature was verified. */
export interface DeploymentEvent {
  readonly deployment: Deployment
  /** accounts of those who began it; each must be a known person */
  readonly startedBy: readonly GitHubAccount[]
  /** accounts of the authors of what it deploys, as far as GitHub names them */
  readonly authors: readonly GitHubAccount[]
  /** the address at which GitHub waits for the answer */
  readonly callbackUrl: string
  readonly installationId: number | null
}

export interface OpenedDeployment {
  readonly requestId: string
  readonly number: number
}

/**
 * Opens a request for a deployment of GitHub. The owner of the key asks; those who began it or
 * wrote its pull requests are behind it. A repeated event gets the request that exists. Rejects as
 * `openExternal` does, and with `forbidden` or `invalid_request` for what `deployments` does not
 * permit.
 */
export async function openDeployment(
  ctx: SigningContext,
  caller: Caller,
  setting: DeploymentSetting,
  event: DeploymentEvent,
): Promise<OpenedDeployment> {
  const { deployment, installationId } = event
  const { repository, run, commit, environment } = deployment
  if (!isListed(setting, deployment)) {
    const which = `${repository} with the id ${deployment.repositoryId}`
    throw new Problem('forbidden', `deployments.${setting.name} does not list ${which}`)
  }
  refuseOtherAddress(setting, event)
  const [onBehalfOf, ...alsoBehind] = peopleOf(setting, event)
  const { requestId } = await openExternal(ctx, caller, {
    tool: deploymentTool,
    input: { ...deployment },
    externalId: `github:${repository}/runs/${run}/deployments/${deployment.deployment}`,
    title: `Deploy ${commit.slice(0, 12)} of ${repository} to ${environment}`,
    edits: 'off',
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
    ...(alsoBehind.length === 0 ? {} : { alsoBehind }),
    ...(setting.queue === null ? {} : { queue: setting.queue }),
    deployment: { name: setting.name, installationId },
  })
  const { number } = await ctx.db
    .selectFrom('request')
    .select('number')
    .where('id', '=', requestId)
    .executeTakeFirstOrThrow()
  return { requestId, number: Number(number) }
}

/** Whether the entry lists the repository under its name and its id. */
export function isListed(
  { repositories }: DeploymentSetting,
  { repository, repositoryId }: Pick<Deployment, 'repository' | 'repositoryId'>,
): boolean {
  return repositories.get(repository.toLowerCase()) === repositoryId
}

/** The answer goes to the API of the approved run; an event with another address is refused. */
function refuseOtherAddress(
  { apiUrl }: DeploymentSetting,
  { deployment, callbackUrl }: DeploymentEvent,
): void {
  const expected = `${apiUrl}${reviewPath(deployment)}`
  if (URL.parse(callbackUrl)?.href.toLowerCase() === expected.toLowerCase()) return
  const message = 'is not the address of this deployment at the configured API'
  throw invalid('deployment_callback_url', message)
}

/** Addresses of the people behind it, each once. */
function peopleOf(
  { name, people }: DeploymentSetting,
  { startedBy, authors }: DeploymentEvent,
): readonly string[] {
  const stranger = startedBy.find(({ id }) => !people.has(id))
  if (stranger !== undefined) {
    const message = `deployments.${name}.people does not say who ${stranger.login} is: no entry has the id ${stranger.id}`
    throw new Problem('forbidden', message)
  }
  const addresses = [...startedBy, ...authors].flatMap(({ id }) => people.get(id) ?? [])
  return [...new Set(addresses)]
}
