import type { JsonObject } from '../json/json.ts'

/** The tool of a request that asks whether GitHub may deploy. */
export const deploymentTool = 'github_deployment'

/** The source of a request for a deployment; stored with it, and never shown. */
export interface DeploymentOrigin {
  /** the entry of `deployments` in countersign.yaml */
  readonly name: string
  /** the installation of the GitHub App that answers; `null`: the event named none */
  readonly installationId: number | null
}

/** One deployment of GitHub, as it is approved: this commit, for this environment. */
export interface Deployment {
  /** OWNER/NAME */
  readonly repository: string
  /** its id at GitHub: its name may become that of another repository */
  readonly repositoryId: number
  readonly environment: string
  readonly commit: string
  readonly ref: string
  /** the event that started the workflow, such as `push` */
  readonly event: string
  /** of the workflow */
  readonly run: number
  /** id of the deployment itself */
  readonly deployment: number
  /** login of the person who started it */
  readonly startedBy: string
}

/** The path of GitHub's API that reviews a deployment, after the address of the API. */
export function reviewPath({ repository, run }: Pick<Deployment, 'repository' | 'run'>): string {
  return `/repos/${repository}/actions/runs/${run}/deployment_protection_rule`
}

/** The input of an approved request as a deployment; `null`: it is not one. */
export function readDeployment(input: JsonObject): Deployment | null {
  const { repository, repositoryId, environment, run } = input
  const isOne =
    typeof repository === 'string' &&
    /^[\w.-]+\/[\w.-]+$/.test(repository) &&
    Number.isSafeInteger(repositoryId) &&
    typeof environment === 'string' &&
    Number.isSafeInteger(run)
  return isOne ? (input as unknown as Deployment) : null
}
