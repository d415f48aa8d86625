import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { signInRefusals, type SignInRefusal } from '#domain/sign-in-refusal.ts'
import { requestOf } from '#client/call.ts'
import { sessionProofHash } from '../api/session-proof.ts'
import { storeFragment } from './store-fragment.ts'

/** Goes to the sign-in provider, which returns to the current page. */
export function ProviderSignIn({ label }: { label: string }) {
  const { pathname, search } = window.location
  const path = pathname === '/sign-in' ? '/' : pathname + search
  const [proof, setProof] = useState<string | null>(null)
  useEffect(() => {
    void sessionProofHash().then(setProof)
  }, [])
  if (proof === null) return null
  const start = requestOf('startProviderSignIn', { query: { return: path, proof } })
  return (
    <Button component="a" href={start.path} onClick={() => storeFragment(window.location)}>
      Sign in with {label}
    </Button>
  )
}

/** The reason why a sign-in at the provider failed. */
export function ProviderRefusal() {
  const why = new URLSearchParams(window.location.search).get('refused') ?? ''
  if (!Object.hasOwn(signInRefusals, why)) return null
  return <p role="alert">{signInRefusals[why as SignInRefusal]}.</p>
}
