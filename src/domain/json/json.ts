/** A value that survives JSON unchanged. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON object: tool inputs, results and details. */
export type JsonObject = { [key: string]: Json }
