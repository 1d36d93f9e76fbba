export function Logo() {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8, fontWeight: 650, fontSize: 14 }}>
      <svg
        width="20"
        height="20"
        viewBox="0 0 32 32"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d="M4 24V8l10 16V8" stroke="currentColor" strokeLinejoin="round" />
        <path d="M20 8h8" stroke="var(--arm-3)" />
        <path d="M20 16h8" stroke="var(--arm-1)" />
        <path d="M20 24h8" stroke="var(--arm-2)" />
      </svg>
      ngxlab
    </span>
  );
}
