/** Reads from the server of this page. Rejects with the server's sentence for a refusal. */
export async function read<T>(path: string): Promise<T> {
  return answerOf(await fetch(path))
}

/** Posts a body to the server of this page. Rejects as `read` does. */
export async function send<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function answerOf<T>(response: Response): Promise<T> {
  const body = await response.json()
  if (response.ok) return body
  throw new Error(body.detail ?? `The server answers ${response.status}`)
}
