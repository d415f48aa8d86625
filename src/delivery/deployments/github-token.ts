import { unsetVariable } from '#domain/error-message.ts'
import { createPrivateKey } from 'node:crypto'
import type { DeploymentSetting } from '#policy/project-config.ts'
import { postPinned, type PinnedResponse } from '../webhooks/post-pinned.ts'
import { findTarget, type TargetRules } from '../webhooks/find-target.ts'

/** How the API of GitHub is reached, and with which secrets. */
export interface GitHubAccess extends TargetRules {
  readonly secretOf: (variable: string) => string | undefined
  readonly signal: AbortSignal
}

const appTokenSeconds = 300
const maxAnswerBytes = 64 * 1024

/** Posts JSON to GitHub's API, at the address that was checked, with a bearer token. */
export async function postToGitHub(
  access: GitHubAccess,
  { url, token, body }: { readonly url: string; readonly token: string; readonly body: object },
): Promise<PinnedResponse> {
  const target = new URL(url)
  return postPinned({
    url: target,
    address: await findTarget(target, access),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'user-agent': 'countersign',
      'x-github-api-version': '2022-11-28',
    },
    body: JSON.stringify(body),
    signal: access.signal,
    maxBytes: maxAnswerBytes,
  })
}

/**
 * A token of the installation: the configured one, or one that GitHub issues to the app, which
 * proves itself by a JWT signed with its key. Rejects with a sentence that names no secret when
 * there is none.
 */
export async function installationToken(
  access: GitHubAccess,
  { answersAs, apiUrl }: DeploymentSetting,
  installationId: number | null,
): Promise<string> {
  if (answersAs.kind === 'token') return secretIn(access, answersAs.tokenFrom)
  if (installationId === null) throw new Error('the event named no installation of the app')
  const pem = secretIn(access, answersAs.privateKeyFrom)
  const token = await appToken(answersAs.appId, pem, answersAs.privateKeyFrom)
  const url = `${apiUrl}/app/installations/${installationId}/access_tokens`
  const { status, body } = await postToGitHub(access, { url, token, body: {} })
  if (status !== 201) throw new Error(`GitHub gave the app no token: it answered ${status}`)
  const answer: unknown = JSON.parse(body)
  if (typeof answer === 'object' && answer !== null && 'token' in answer) {
    if (typeof answer.token === 'string') return answer.token
  }
  throw new Error('GitHub gave the app no token: its answer has none')
}

async function appToken(appId: number, pem: string, variable: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  let key: ReturnType<typeof createPrivateKey>
  try {
    // In an environment variable, line breaks are often written out.
    key = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch {
    throw new Error(`${variable} holds no private key in PEM`)
  }
  const { SignJWT } = await import('jose')
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(String(appId))
    .setIssuedAt(now - 60)
    .setExpirationTime(now + appTokenSeconds)
    .sign(key)
}

function secretIn({ secretOf }: GitHubAccess, variable: string): string {
  const secret = secretOf(variable)
  if (secret === undefined || secret === '') throw new Error(unsetVariable(variable))
  return secret
}
