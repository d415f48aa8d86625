/** The part of trusted types that is used, which the library of the DOM does not have yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: () => string },
  ): { createScriptURL(input: string): unknown }
}

const address = '/service-worker.js'

/**
 * The one policy for trusted types that the content policy allows (security.md 19). Whatever it is
 * given, it makes this one address, and it makes neither markup nor scripts.
 */
const policy = (window as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy(
  'countersign-service-worker',
  { createScriptURL: () => address },
)

/** Installs the service worker, once; `null`: this browser has none, or refuses it. */
export async function registerServiceWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator)) return null
  // What the policy makes is no string for the type, and the only thing that the browser takes.
  const trusted = (policy?.createScriptURL('') ?? address) as string
  try {
    return await navigator.serviceWorker.register(trusted)
  } catch {
    return null
  }
}
