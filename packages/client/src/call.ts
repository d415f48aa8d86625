/** A dangerous call, as people are asked about it (`POST /v1/requests`). */
export interface Call<Input extends object = object> {
  readonly tool: string
  readonly input: Input
  /**
   * identifies this call: asking again under it finds the same request. Without it every call is
   * new
   */
  readonly externalId?: string
  /** whose policy judges first; what it pre-approves waits for nobody */
  readonly worker?: string
  /** a sentence for the approvers, shown as the program's claim */
  readonly title?: string
  /** a text for the approvers, shown as the program's claim beside the raw arguments */
  readonly presentation?: {
    readonly type: 'text' | 'diff' | 'file_content' | 'command' | 'structured'
    readonly content: string
    readonly language?: string
  }
  readonly queue?: string
  /** e-mail address or id of the person for whom the program acts; they cannot approve it */
  readonly onBehalfOf?: string
  /** at most 16 KiB, returned unchanged */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** address that is called once the request has ended; see `verifyCallback` */
  readonly callbackUrl?: string
  /** nobody may change the call, because this very one is made or none */
  readonly edits?: 'off'
  /** where the call is made: shown to the approvers as what the program reports */
  readonly origin?: CallOrigin
}

/**
 * Where a program works. Only with a right `proof` does the service look at files of its own
 * workspace.
 */
export interface CallOrigin {
  readonly program: string
  readonly version?: string
  readonly host: string
  /** real path */
  readonly folder: string
  readonly git?: {
    readonly remote: string | null
    readonly commit: string | null
    readonly dirty: boolean | null
  }
  /** those that the call names; `hash` is `sha256:…` of the bytes, or `absent` */
  readonly files?: readonly {
    readonly path: string
    readonly hash: string
    readonly content?: string
  }[]
  /** HMAC-SHA-256 of `folder` with the bytes of DATA/run/host-proof, in lower-case hex */
  readonly proof?: string
}
