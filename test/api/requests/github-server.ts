import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { jwtVerify } from 'jose'
import { openWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts'

/** Plays GitHub's side: signs events, gives the app tokens, and takes reviews of deployments. */
export interface GitHubServer extends AsyncDisposable {
  readonly apiUrl: string
  readonly receiver: WebhookReceiver
  /** the app's private key, PKCS #1 in PEM, as GitHub hands it out */
  readonly privateKey: string
  readonly secret: string
  /** what reviews are answered with from now on; `hang` answers nothing */
  reviewStatus: number | 'hang'
  /** what the first review of a run is answered with before that, by the run's number */
  readonly firstStatuses: Map<number, number>
  /** reviews that came with the right token, as path and body */
  reviews(): { readonly path: string; readonly body: Record<string, unknown> }[]
}

export const appId = 4711

/** The id of the repository acme/shop. */
export const repositoryId = 1296269
/** Accounts at GitHub by what they stand for. */
export const accounts = {
  ada: { id: 101, login: 'AdaHub' },
  linus: { id: 102, login: 'LinusHub' },
  bot: { id: 103, login: 'ship-it[bot]' },
  grace: { id: 104, login: 'GraceHub' },
} as const
const installation = 5

export async function openGitHub(): Promise<GitHubServer> {
  const receiver = await openWebhookReceiver()
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const issued = new Set<string>()
  receiver.answer = (response, { path, headers }) => {
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    if (path === `/app/installations/${installation}/access_tokens`) {
      void isOfApp(token, publicKey).then((isValid) => {
        if (!isValid) return response.writeHead(401).end('{}')
        issued.add(`ghs_${issued.size}`)
        return response.writeHead(201).end(JSON.stringify({ token: `ghs_${issued.size - 1}` }))
      })
    } else if (!issued.has(token)) response.writeHead(401).end('{}')
    else {
      const run = Number(/\/runs\/(\d+)\//.exec(path)?.[1])
      const status = github.firstStatuses.get(run) ?? github.reviewStatus
      github.firstStatuses.delete(run)
      if (status !== 'hang') response.writeHead(status).end()
    }
  }
  const github: GitHubServer = {
    apiUrl: `http://127.0.0.1:${receiver.port}`,
    receiver,
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    secret: 'the-secret-of-the-webhook',
    reviewStatus: 204,
    firstStatuses: new Map(),
    reviews: () =>
      receiver.received
        .filter(({ path }) => path.endsWith('/deployment_protection_rule'))
        .map(({ path, body }) => ({ path, body: JSON.parse(body) as Record<string, unknown> })),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
  return github
}

async function isOfApp(token: string, publicKey: KeyObject): Promise<boolean> {
  try {
    await jwtVerify(token, publicKey, { issuer: String(appId), algorithms: ['RS256'] })
    return true
  } catch {
    return false
  }
}

let runs = 100

/** The event of a deployment that waits, with what a test changes. */
export function deploymentEvent(
  github: Pick<GitHubServer, 'apiUrl'>,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  runs += 1
  const run = runs
  return {
    action: 'requested',
    environment: 'production',
    event: 'push',
    deployment_callback_url: `${github.apiUrl}/repos/acme/shop/actions/runs/${run}/deployment_protection_rule`,
    deployment: { id: 9000 + run, sha: 'c'.repeat(40), ref: 'main', creator: accounts.ada },
    pull_requests: [],
    repository: { id: repositoryId, full_name: 'acme/shop', private: true },
    installation: { id: installation },
    sender: accounts.ada,
    ...more,
  }
}

/** The headers of a delivery of GitHub. */
export function signedByGitHub(secret: string, body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-github-event': 'deployment_protection_rule',
    'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
}
