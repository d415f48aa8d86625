import type { Service } from './service.ts'

/** Where a person opens a page of the service: on this machine by name, since it is there that their browser is signed in. */
export function pageUrl(service: Service, path: string): string {
  return service.url.replace('//127.0.0.1:', '//localhost:') + path
}
