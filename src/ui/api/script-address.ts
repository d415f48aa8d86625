/** Members of Trusted Types, which TypeScript's DOM library does not declare yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: () => string },
  ): { createScriptURL(input: string): unknown }
}

/**
 * The address of a script as a `TrustedScriptURL`. The policy always returns this one address, and
 * makes no markup and no scripts. The content security policy allows each policy name only once
 * (security.md 19).
 */
export function scriptAddress(policyName: string, address: string): string {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy(policyName, { createScriptURL: () => address })
  // The policy returns a `TrustedScriptURL` and not a string, and the browser accepts nothing else.
  return (policy?.createScriptURL('') ?? address) as string
}
