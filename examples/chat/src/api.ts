/** What the server beside this page answers. Throws with its sentence when it refuses. */
export async function read<T>(path: string): Promise<T> {
  return answerOf(await fetch(path))
}

/** As `read`, for what changes something. */
export async function send<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function answerOf<T>(response: Response): Promise<T> {
  const body = await response.json()
  if (response.ok) return body
  throw new Error(body.detail ?? `The server answers ${response.status}`)
}
