/** A call for which approval is requested (`POST /v1/requests`). */
export interface Call<Input extends object = object> {
  readonly tool: string
  readonly input: Input
  /**
   * identifies this call: a second `ask` with the same value returns the same request. Without it
   * every `ask` opens a new request
   */
  readonly externalId?: string
  /** the worker whose policy judges the call first; a call that it pre-approves does not wait */
  readonly worker?: string
  /** a sentence for the approvers, shown as a claim of the program */
  readonly title?: string
  /** a text for the approvers, shown as a claim of the program beside the raw arguments */
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
  /** `off`: nobody may change the call, because the program makes exactly this call or none */
  readonly edits?: 'off'
  /** where the call is made: shown to the approvers as a claim of the program */
  readonly origin?: CallOrigin
}

/**
 * Where a program works. The service reads the files itself only if the folder is in one of its
 * workspaces and `proof` is valid.
 */
export interface CallOrigin {
  readonly program: string
  readonly version?: string
  readonly host: string
  /** absolute path without symbolic links */
  readonly folder: string
  readonly git?: {
    readonly remote: string | null
    readonly commit: string | null
    readonly dirty: boolean | null
  }
  /** the files that the call names; `hash` is `sha256:…` of the bytes, or `absent` */
  readonly files?: readonly {
    readonly path: string
    readonly hash: string
    readonly content?: string
  }[]
  /** HMAC-SHA-256 of `folder` with the bytes of DATA/run/host-proof, in lower-case hex */
  readonly proof?: string
}
