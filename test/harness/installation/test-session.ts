import { randomUUID } from 'node:crypto'

/** What a call was answered with. */
export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** Longer than the API may take to find that Postgres or Temporal is away. */
const answerWithinMs = 45_000

/** A person's session with a running service, like that of a browser. */
export class TestSession {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  private constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url
    this.#headers = headers
  }

  static async start(url: string, email: string, token: string): Promise<TestSession> {
    // A kept connection ends with the process that served it, or while a busy client looks away:
    // each call has its own.
    const headers = { 'content-type': 'application/json', origin: url, connection: 'close' }
    const response = await fetch(`${url}/v1/auth/dev-login`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, token }),
    })
    const me = (await response.json()) as { csrfToken: string }
    if (!response.ok) throw new Error(`sign-in of ${email}: ${JSON.stringify(me)}`)
    const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0])
    return new TestSession(url, {
      ...headers,
      cookie: cookie.join('; '),
      'x-csrf-token': me.csrfToken,
    })
  }

  /** For a client in a process of its own. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers
  }

  get(path: string): Promise<Answer> {
    return this.#ask('GET', path)
  }

  /** An answer that is no JSON, with what it is served as. */
  async bytes(path: string): Promise<{ status: number; type: string | null; bytes: Buffer }> {
    const signal = AbortSignal.timeout(answerWithinMs)
    const response = await fetch(this.#url + path, { headers: this.#headers, signal })
    const { status, headers } = response
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status, type: headers.get('content-type'), bytes }
  }

  /** An answer with an endless body: the live stream. */
  open(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.#url + path, { headers: { ...this.#headers, ...headers } })
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#ask('POST', path, body, headers)
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.#ask('PUT', path, body)
  }

  delete(path: string): Promise<Answer> {
    return this.#ask('DELETE', path)
  }

  /**
   * Like a careful client: repeats the call with the same key until an answer says something else
   * than that the service is unavailable.
   */
  async postUntilAnswered(path: string, body: unknown, withinMs: number): Promise<Answer> {
    const key = { 'idempotency-key': randomUUID() }
    const deadline = performance.now() + withinMs
    for (;;) {
      const answer = await this.post(path, body, key).catch((error: unknown) => ({
        status: 0,
        body: { error: String(error) },
      }))
      if (answer.status !== 0 && answer.status < 500) return answer
      if (performance.now() > deadline) throw new Error(`no answer: ${JSON.stringify(answer)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async #ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.#headers, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerWithinMs),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
}
