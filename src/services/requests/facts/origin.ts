import type { Json, JsonObject } from '#domain/json/json.ts'

/**
 * Where a program claims to make its call (product.md 46). Only `proof` is verified; the API's
 * schema checks the bounds.
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
  /** HMAC of the folder (domain/requests/host-proof.ts); never stored */
  readonly proof?: string
}

/** A file as the program found it; `path` as in the call's input. */
export interface ReportedFile {
  readonly path: string
  /** `sha256:…` of its bytes, or that it does not exist */
  readonly hash: string | 'absent'
  /** of a text file; its UTF-8 has that hash */
  readonly content?: string
}

/** What is stored and shown of it: everything except the proof. */
export type ReportedOrigin = Omit<Origin, 'proof'>

/** As JSON, without absent members. */
export function originDocument(origin: Origin): JsonObject {
  return JSON.parse(JSON.stringify({ ...origin, proof: undefined })) as { [name: string]: Json }
}
