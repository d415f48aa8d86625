import type { z } from 'zod'
import type { Json } from '#domain/json/json.ts'

/** The result of a schema, with absent optional fields instead of undefined ones. */
export type OutputOf<Schema> = WithoutUndefined<z.output<Schema>>

type WithoutUndefined<T> = T extends Json | ArrayBuffer | ArrayBufferView
  ? T
  : { [K in keyof T]: WithoutUndefined<Exclude<T[K], undefined>> }
