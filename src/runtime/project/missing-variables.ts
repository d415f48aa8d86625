import { withGatewayWorkers } from '#policy/worker/gateway-workers.ts'
import { leastSecretLength } from '#delivery/deployments/github-signature.ts'
import { readSecrets } from '#delivery/webhooks/webhook-secret.ts'
import { endpointSettings, providerSettings } from '#models/provider-settings.ts'
import type { Policy, ProjectProblem } from '#policy/policy.ts'
import type { TriggerSetting } from '#policy/project-config.ts'
import { placeOfSource } from '#policy/reading/report.ts'
import { parseModelName } from '#policy/worker/model-name.ts'
import { placeOfKey } from '#policy/worker/place-of-key.ts'
import { variablesOf } from '#tools/mcp/connection.ts'
import type { Environment } from '../environment.ts'

/** An environment variable that a project file names and this host does not set. */
interface MissingVariable {
  readonly place: Pick<ProjectProblem, 'file' | 'line'>
  readonly name: string
  /** what needs it, as a sentence up to "which is …" */
  readonly problem: string
  /** `no secret`: it has an invalid value */
  readonly state?: 'no secret'
  /** what it is set to, when that is not obvious */
  readonly value?: string
}

/**
 * Returns a warning for each environment variable that the project names and this host lacks: of
 * models, MCP servers, webhooks, mail, the sign-in provider and Slack. `check` and `doctor` show
 * them.
 */
export function warnOfMissingVariables(
  policy: Policy,
  environment: Environment,
): readonly ProjectProblem[] {
  const missing = [
    ...ofModels(policy, environment),
    ...ofMcpServers(policy, environment),
    ...ofSecrets('webhook', policy.config.webhooks.endpoints, environment),
    ...ofSecrets('trigger', policy.config.triggers, environment),
    ...ofDeployments(policy, environment),
    ...ofMail(policy, environment),
    ...ofSignIn(policy, environment),
    ...ofSlack(policy, environment),
  ]
  return missing.map(({ place, name, problem, state = 'not set', value }) => ({
    ...place,
    problem: `${problem} ${name}, which is ${state}`,
    remedy: `set ${name} in the service's environment, or in .env beside countersign.yaml${value === undefined ? '' : `, to ${value}`}, before it starts`,
    severity: 'warning',
  }))
}

function ofModels(policy: Policy, environment: Environment): MissingVariable[] {
  return [...ofEndpoints(policy, environment), ...ofProviders(policy, environment)]
}

function ofEndpoints({ config }: Policy, environment: Environment): MissingVariable[] {
  return [...config.models].flatMap(([name, { endpoint }]) => {
    if (endpoint === null) return []
    const { missing } = endpointSettings(endpoint, environment)
    const place = placeOfSource(endpoint.source)
    const problem = `the models of "${name}" need the environment variable`
    return missing === null ? [] : [{ place, name: missing, problem }]
  })
}

function ofProviders(policy: Policy, environment: Environment): MissingVariable[] {
  return [...policy.workers.values()].flatMap((worker) => {
    const model = parseModelName(worker.model)
    if (model?.kind !== 'provider') return []
    const { missing: name } = providerSettings(model.provider, environment)
    const place = placeOfKey(worker, 'model')
    const problem = `the model ${worker.model} needs the environment variable`
    return name === null ? [] : [{ place, name, problem }]
  })
}

function ofMcpServers(policy: Policy, environment: Environment): MissingVariable[] {
  return [...withGatewayWorkers(policy).workers.values()].flatMap((worker) =>
    [...worker.mcpServers.values()].flatMap((server) => {
      const place = placeOfSource(server.source)
      const problem = `the MCP server "${server.name}" is given`
      const missing = variablesOf(server).filter((name) => environment[name] === undefined)
      return missing.map((name) => ({ place, name, problem }))
    }),
  )
}

/** Secrets of Standard Webhooks. */
function ofSecrets(
  kind: 'webhook' | 'trigger',
  settings: ReadonlyMap<string, Pick<TriggerSetting, 'name' | 'secretFrom' | 'source'>>,
  environment: Environment,
): MissingVariable[] {
  return [...settings.values()]
    .filter(({ secretFrom }) => readSecrets(environment[secretFrom]) === null)
    .map(({ name, secretFrom, source }) => ({
      place: placeOfSource(source),
      name: secretFrom,
      problem: `the ${kind} "${name}" is signed with`,
      ...(environment[secretFrom] === undefined ? {} : { state: 'no secret' as const }),
      value: 'whsec_ and the base64 of 24 to 64 random bytes',
    }))
}

function ofDeployments({ config }: Policy, environment: Environment): MissingVariable[] {
  return [...config.deployments.values()].flatMap((setting) => {
    const { name, secretFrom, keyFrom, answersAs } = setting
    const place = placeOfSource(setting.source)
    const isShort = (environment[secretFrom] ?? '').length < leastSecretLength
    const others = [
      [keyFrom, 'ask with'],
      answersAs.kind === 'token'
        ? [answersAs.tokenFrom, 'are answered with']
        : [answersAs.privateKeyFrom, 'are answered with'],
    ] as const
    return [
      ...(isShort
        ? [
            {
              place,
              name: secretFrom,
              problem: `the webhook of deployments "${name}" is signed with`,
              ...(environment[secretFrom] === undefined ? {} : { state: 'no secret' as const }),
              value: `a secret of at least ${leastSecretLength} characters`,
            },
          ]
        : []),
      ...others
        .filter(([variable]) => !environment[variable])
        .map(([variable, what]) => ({
          place,
          name: variable,
          problem: `deployments "${name}" ${what}`,
        })),
    ]
  })
}

function ofMail({ config: { email } }: Policy, environment: Environment): MissingVariable[] {
  if (email === null) return []
  const place = placeOfSource(email.source)
  return [email.smtp.userFrom, email.smtp.passwordFrom]
    .filter((name) => name !== null && !environment[name])
    .map((name) => ({ place, name: name ?? '', problem: 'mail is sent with' }))
}

function ofSignIn({ config }: Policy, environment: Environment): MissingVariable[] {
  const { oidc } = config.signIn
  const name = oidc?.clientSecretFrom ?? null
  if (oidc === null || name === null || environment[name]?.trim()) return []
  const problem = 'people sign in with the client secret in'
  return [{ place: placeOfSource(oidc.source), name, problem }]
}

function ofSlack({ config: { slack } }: Policy, environment: Environment): MissingVariable[] {
  if (slack === null) return []
  const place = placeOfSource(slack.source)
  return [slack.tokenFrom, slack.signingSecretFrom]
    .filter((name) => !environment[name])
    .map((name) => ({ place, name, problem: 'Slack is asked with' }))
}
