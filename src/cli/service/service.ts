import { type ApiRequest, callOver } from '#client/call.ts'
import { CommandFailure } from '../terminal/exit-codes.ts'
import { fetchService } from './fetch-service.ts'

/** The error for an answer that Countersign never gives. */
const foreignAnswer =
  'The service that answered is not Countersign, but another one or a proxy: check the address, or set another with --url'

/** A refusal in the service's own words; `code` is stable (api.md). */
export class ServiceProblem extends CommandFailure {
  readonly code: string
  readonly status: number
  readonly facts: Readonly<Record<string, unknown>>

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const detail = body['detail'] ?? body['title']
    super(typeof detail === 'string' ? detail : `${foreignAnswer} (status ${status})`)
    this.status = status
    this.code = typeof body['code'] === 'string' ? body['code'] : 'unknown'
    this.facts = body
  }
}

/** A service, and the credentials with which the command calls it. */
export class Service {
  readonly url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #signInAdvice: string | null

  /**
   * `signInAdvice` replaces the service's sentence when it refuses the credentials (401); `null`
   * keeps that sentence.
   */
  constructor(
    url: string,
    headers: Readonly<Record<string, string>>,
    signInAdvice: string | null = null,
  ) {
    this.url = url
    this.#headers = headers
    this.#signInAdvice = signInAdvice
  }

  /**
   * Calls an operation. Rejects with `ServiceProblem`, or with a sentence if no service answers.
   */
  readonly call = callOver(async (request) => {
    const response = await this.#answer(request)
    return response.json().catch((cause: unknown) => {
      throw new CommandFailure(`${foreignAnswer} (${this.url})`, 1, { cause })
    })
  })

  /** The bytes of an answer that is not JSON. */
  async bytes(request: ApiRequest): Promise<Uint8Array> {
    return (await this.answer(request)).bytes
  }

  /** The bytes of an answer that is not JSON, and its headers. */
  async answer(
    request: ApiRequest,
  ): Promise<{ readonly bytes: Uint8Array; readonly headers: Headers }> {
    const response = await this.#answer(request)
    return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers }
  }

  /** The bytes of an answer, while they arrive. */
  async *chunks(request: ApiRequest): AsyncGenerator<Uint8Array, void, undefined> {
    const response = await this.#answer(request)
    if (response.body !== null) yield* response.body
  }

  async #answer({ path, ...init }: ApiRequest): Promise<Response> {
    const response = await fetchService(this.url, path, {
      ...init,
      headers: { ...this.#headers, ...init.headers },
    })
    if (!response.ok) throw await this.#problemOf(response)
    return response
  }

  async #problemOf(response: Response): Promise<ServiceProblem> {
    const body: unknown = await response.json().catch(() => ({}))
    const facts = typeof body === 'object' && body !== null ? { ...body } : {}
    const isUnknown = response.status === 401 && this.#signInAdvice !== null
    return new ServiceProblem(response.status, {
      ...facts,
      ...(isUnknown ? { detail: this.#signInAdvice } : {}),
    })
  }
}

/**
 * The address at which a person opens a page of the service. On this machine it has the host
 * `localhost`, because the browser's session belongs to that name.
 */
export function pageUrl(service: Service, path: string): string {
  return service.url.replace('//127.0.0.1:', '//localhost:') + path
}
