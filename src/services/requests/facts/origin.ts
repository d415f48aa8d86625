import type { Json, JsonObject } from '#domain/json/json.ts'

/**
 * Where a program says that it makes its call (product.md 46). Its own words but for `proof`;
 * bounds are the API schema's.
 */
export interface Origin {
  readonly program: string
  readonly version?: string
  readonly host: string
  /** real path of the folder in which it works */
  readonly folder: string
  readonly git?: {
    readonly remote: string | null
    readonly commit: string | null
    readonly dirty: boolean | null
  }
  readonly files?: readonly ReportedFile[]
  /** HMAC of the folder (domain/host-proof.ts); never stored */
  readonly proof?: string
}

/** A file as the program found it; `path` as in the call's input. */
export interface ReportedFile {
  readonly path: string
  /** `sha256:…` of its bytes, or that there is none */
  readonly hash: string | 'absent'
  /** of a text file; its UTF-8 has that hash */
  readonly content?: string
}

/** What is stored of it, and shown: everything but the proof. */
export type ReportedOrigin = Omit<Origin, 'proof'>

/** As JSON, without what was not said. */
export function originDocument(origin: Origin): JsonObject {
  return JSON.parse(JSON.stringify({ ...origin, proof: undefined })) as { [name: string]: Json }
}
