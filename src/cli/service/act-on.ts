import { connect } from './connect.ts'
import type { ServiceOptions } from './service-options.ts'
import type { Service } from './service.ts'

/** The action of a command that makes one call about what it names, and then prints a sentence. */
export function actOn(
  call: (service: Service, id: string) => Promise<unknown>,
  sentence: string,
): (id: string, options: ServiceOptions) => Promise<void> {
  return async (id, options) => {
    await call(await connect(options), id)
    console.log(sentence)
  }
}
