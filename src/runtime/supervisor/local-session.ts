import { z } from 'zod'

const me = z.object({
  csrfToken: z.string(),
  person: z.object({ name: z.string(), rights: z.array(z.string()) }),
})

export type LocalSession = {
  name: string
  rights: readonly string[]
  get: (path: string) => Promise<unknown>
  post: (path: string, body: unknown) => Promise<unknown>
}

/** Sign in as a person of the project, with the token of development sign-in. Throws with the service's sentence. */
export async function signInLocally(
  url: string,
  email: string,
  token: string,
): Promise<LocalSession> {
  const base = { 'content-type': 'application/json', 'user-agent': 'countersign-cli', origin: url }
  const response = await fetch(`${url}/v1/auth/dev-login`, {
    method: 'POST',
    headers: base,
    body: JSON.stringify({ email, token }),
  })
  const { person, csrfToken } = me.parse(await readBody(response))
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const headers = { ...base, cookie, 'x-csrf-token': csrfToken }
  return {
    ...person,
    get: async (path) => readBody(await fetch(url + path, { headers })),
    post: async (path, body) =>
      readBody(await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })),
  }
}

async function readBody(response: Response): Promise<unknown> {
  const body: unknown = await response.json()
  if (response.ok) return body
  const problem = z
    .object({ title: z.string().optional(), detail: z.string().optional() })
    .safeParse(body).data
  throw new Error(problem?.detail ?? problem?.title ?? `the service answered ${response.status}`)
}
