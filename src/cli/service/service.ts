import { CommandFailure } from '../exit-codes.ts'

/** Said of an answer that the service never gives. */
const notOurs =
  'What answered is not Countersign, or a proxy before it: is the address right? --url names another'

/** A refusal in the service's own words; `code` is stable (api.md). */
export class ServiceProblem extends CommandFailure {
  readonly code: string
  readonly status: number
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const detail = body['detail'] ?? body['title']
    super(typeof detail === 'string' ? detail : `${notOurs} (status ${status})`)
    this.status = status
    this.code = typeof body['code'] === 'string' ? body['code'] : 'unknown'
    this.facts = body
  }
}

/** A service with somebody's credentials: paths begin with `/v1`, bodies are JSON. */
export class Service {
  readonly url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #whenUnknown: string | null

  /** `whenUnknown` says what to do when the service does not take the credentials; null leaves it to the service's words. */
  constructor(
    url: string,
    headers: Readonly<Record<string, string>>,
    whenUnknown: string | null = null,
  ) {
    this.url = url
    this.#headers = headers
    this.#whenUnknown = whenUnknown
  }

  /** The JSON body of the answer. Rejects with `ServiceProblem`, or with a sentence when nobody answers. */
  async get<T>(path: string): Promise<T> {
    return (await this.#ask('GET', path)) as T
  }

  async post<T>(
    path: string,
    body: unknown = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    return (await this.#ask('POST', path, body, headers)) as T
  }

  async delete<T>(path: string): Promise<T> {
    return (await this.#ask('DELETE', path, {})) as T
  }

  /** The bytes of an answer that is not JSON. */
  async bytes(path: string): Promise<Uint8Array> {
    return (await this.answer(path)).bytes
  }

  /** The same with what the answer's headers say of them. */
  async answer(path: string): Promise<{ readonly bytes: Uint8Array; readonly headers: Headers }> {
    const response = await this.#fetch(path, { headers: this.#headers })
    if (!response.ok) throw await this.#problemOf(response)
    return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers }
  }

  /** The bytes of an answer as they come in. */
  async *chunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
    const response = await this.#fetch(path, { headers: this.#headers })
    if (!response.ok) throw await this.#problemOf(response)
    if (response.body !== null) yield* response.body
  }

  async #ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const response = await this.#fetch(path, {
      method,
      headers: { ...this.#headers, ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw await this.#problemOf(response)
    return response.json().catch((cause: unknown) => {
      throw new CommandFailure(`${notOurs} (${this.url})`, 1, { cause })
    })
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.url + path, { ...init, redirect: 'error' })
    } catch (cause) {
      throw new CommandFailure(
        `Nobody answers at ${this.url}. Is the service running? countersign doctor says what is wrong.`,
        1,
        { cause },
      )
    }
  }

  async #problemOf(response: Response): Promise<ServiceProblem> {
    const body: unknown = await response.json().catch(() => ({}))
    const facts = typeof body === 'object' && body !== null ? { ...body } : {}
    const isUnknown = response.status === 401 && this.#whenUnknown !== null
    return new ServiceProblem(response.status, {
      ...facts,
      ...(isUnknown ? { detail: this.#whenUnknown } : {}),
    })
  }
}
