import { Problem } from '#domain/problem.ts'
import { deploymentTool, reviewPath, type Deployment } from '#domain/requests/deployment.ts'
import type { DeploymentSetting } from '#policy/project-config.ts'
import type { Caller, SigningContext } from '../core/context.ts'
import { openExternal, type OpenedExternal } from '../external/open-external.ts'

/** A deployment that waits for an answer, from an event of GitHub whose signature was verified. */
export interface DeploymentEvent {
  readonly deployment: Deployment
  /** logins of those who began it; each must be a known person */
  readonly logins: readonly string[]
  /** logins of the authors of what it deploys, as far as GitHub names them */
  readonly authors: readonly string[]
  /** the address at which GitHub waits for the answer */
  readonly callbackUrl: string
  readonly installationId: number | null
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
): Promise<OpenedExternal> {
  const { deployment, installationId } = event
  const { repository, run, commit, environment } = deployment
  if (!setting.repositories.includes(repository.toLowerCase())) {
    throw new Problem('forbidden', `deployments.${setting.name} does not list ${repository}`)
  }
  refuseOtherAddress(setting, event)
  const [onBehalfOf, ...alsoBehind] = peopleOf(setting, event)
  return openExternal(ctx, caller, {
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
}

/** The answer goes to the API of the approved run; an event with another address is refused. */
function refuseOtherAddress(
  { apiUrl }: DeploymentSetting,
  { deployment, callbackUrl }: DeploymentEvent,
): void {
  const expected = `${apiUrl}${reviewPath(deployment)}`
  if (URL.parse(callbackUrl)?.href.toLowerCase() === expected.toLowerCase()) return
  const message = 'is not the address of this deployment at the configured API'
  throw new Problem('invalid_request', `deployment_callback_url ${message}`, {
    field: 'deployment_callback_url',
    message,
  })
}

/** Addresses of the people behind it, each once. */
function peopleOf(
  { name, people }: DeploymentSetting,
  { logins, authors }: DeploymentEvent,
): readonly string[] {
  const stranger = logins.find((login) => !people.has(login.toLowerCase()))
  if (stranger !== undefined) {
    const message = `deployments.${name}.people does not say who ${stranger} is`
    throw new Problem('forbidden', message)
  }
  const addresses = [...logins, ...authors].flatMap((login) => {
    const address = people.get(login.toLowerCase())
    return address === undefined || address === null ? [] : [address]
  })
  return [...new Set(addresses)]
}
