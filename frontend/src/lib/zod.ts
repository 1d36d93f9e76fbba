import * as z from 'zod/mini';

// zod would compile schemas with `new Function`, which the page's content security policy forbids.
z.config({ jitless: true });

export { z };
