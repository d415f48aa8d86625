import { callOver } from '#client/call.ts'
import { fetchService } from './fetch-service.ts'
import type { SavedSession } from './saved-sessions.ts'
import { Service, ServiceProblem } from './service.ts'

const agent = 'countersign-cli'

/** Headers of calls that come from the service's own origin, as the CSRF rules want them. */
function originHeaders(url: string): Record<string, string> {
  return { origin: url, 'user-agent': agent }
}

/**
 * The service with the credentials of a session. If it has ended, an error says how to sign in.
 */
export function withSession(url: string, session: SavedSession): Service {
  return new Service(
    url,
    {
      ...originHeaders(url),
      cookie: session.cookie,
      'x-csrf-token': session.csrfToken,
    },
    `The session saved for ${url} has ended. Sign in again with: countersign login ${url} — or, on the machine itself in the development profile, name yourself with --as EMAIL`,
  )
}

/** The service with an API key; a key can never decide. */
export function withKey(url: string, key: string): Service {
  return new Service(
    url,
    { 'user-agent': agent, authorization: `Bearer ${key}` },
    `The service at ${url} does not take the key in COUNTERSIGN_API_KEY: it is mistyped, revoked, or its owner is disabled or no longer a person of the project. As a person: countersign login ${url}, or --as EMAIL in the development profile`,
  )
}

/**
 * Starts a session by development sign-in or a one-time link. Rejects with the service's sentence.
 */
export async function startSession(
  url: string,
  credentials: { readonly email: string; readonly token: string } | { readonly link: string },
): Promise<SavedSession> {
  let cookies: string[] = []
  const call = callOver(async ({ path, ...init }) => {
    const response = await fetchService(url, path, {
      ...init,
      headers: { ...originHeaders(url), ...init.headers },
    })
    const answer: unknown = await response.json().catch(() => ({}))
    if (!response.ok) throw new ServiceProblem(response.status, { ...Object(answer) })
    cookies = response.headers.getSetCookie()
    return answer
  })
  const answer =
    'link' in credentials
      ? await call('signInWithLink', { body: { token: credentials.link } })
      : await call('signInForDevelopment', { body: credentials })
  const cookie = cookies.map((line) => line.split(';')[0]).join('; ')
  return { cookie, csrfToken: ('csrfToken' in answer ? answer.csrfToken : null) ?? '' }
}
