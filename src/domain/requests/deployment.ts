import type { JsonObject } from '../json/json.ts'

/** The tool of a request that asks whether GitHub may deploy. */
export const deploymentTool = 'github_deployment'

/** What a request for a deployment came through; kept with it, and never shown. */
export interface DeploymentOrigin {
  /** the entry of `deployments` in countersign.yaml */
  readonly name: string
  /** as which installation the GitHub App answers; `null`: the event named none */
  readonly installationId: number | null
}

/** One deployment of GitHub, as it is approved: this commit, for this environment. */
export interface Deployment {
  /** OWNER/NAME */
  readonly repository: string
  readonly environment: string
  readonly commit: string
  readonly ref: string
  /** what began the workflow, such as `push` */
  readonly event: string
  /** of the workflow */
  readonly run: number
  /** id of the deployment itself */
  readonly deployment: number
  /** login of who began it */
  readonly startedBy: string
}

/** The path of GitHub's API at which a deployment is reviewed, after the address of the API. */
export function reviewPath({ repository, run }: Pick<Deployment, 'repository' | 'run'>): string {
  return `/repos/${repository}/actions/runs/${run}/deployment_protection_rule`
}

/** The input of an approved request as a deployment; `null`: it is none. */
export function readDeployment(input: JsonObject): Deployment | null {
  const { repository, environment, run } = input
  const isOne =
    typeof repository === 'string' &&
    /^[\w.-]+\/[\w.-]+$/.test(repository) &&
    typeof environment === 'string' &&
    Number.isSafeInteger(run)
  return isOne ? (input as unknown as Deployment) : null
}
