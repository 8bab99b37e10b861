//! Bytes with the owner that keeps them alive.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::Region;

/// A view of bytes together with the owner that keeps them alive: a map, a region, a Python object, a `Vec`.
///
/// Cloning is cheap. The lifetime is the owner's: no user action frees memory that a view still uses.
#[derive(Clone)]
pub struct Buffer {
    ptr: *const u8,
    nbytes: usize,
    exclusive: bool,
    owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: this type only reads through the pointer, and `owner` (Send + Sync) keeps the bytes at their address.
unsafe impl Send for Buffer {}
// SAFETY: as above; shared reads need no synchronisation.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Wraps `nbytes` bytes at `ptr`.
    ///
    /// # Safety
    /// The `nbytes` bytes at `ptr` are initialised, at most `isize::MAX`, and stay readable at this address until `owner` is
    /// dropped. Rust code does not write them through references meanwhile; a foreign library that owns them (NumPy) may, which is
    /// the caller's documented sharing.
    #[must_use]
    pub unsafe fn from_raw(ptr: *const u8, nbytes: usize, owner: Arc<dyn Any + Send + Sync>) -> Self {
        Self { ptr, nbytes, exclusive: false, owner }
    }

    /// Declares that only this buffer uses the memory: it is not a shared map of a file, and not borrowed.
    #[must_use]
    pub fn assume_exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Takes a vector.
    #[must_use]
    pub fn from_vec(bytes: Vec<u8>) -> Self {
        let owner = Arc::new(bytes);
        let (ptr, nbytes) = (owner.as_ptr(), owner.len());
        Self { ptr, nbytes, exclusive: false, owner }
    }

    /// Takes a region. `exclusive`: nothing else uses the memory, so writing to it changes nothing else.
    #[must_use]
    pub fn from_region(region: Region, exclusive: bool) -> Self {
        let (ptr, nbytes) = (region.as_ptr(), region.nbytes());
        Self { ptr, nbytes, exclusive, owner: Arc::new(region) }
    }

    /// Wraps an Arrow buffer.
    #[must_use]
    pub fn from_arrow(buffer: arrow_buffer::Buffer) -> Self {
        let (ptr, nbytes) = (buffer.as_ptr(), buffer.len());
        Self { ptr, nbytes, exclusive: false, owner: Arc::new(buffer) }
    }

    /// Returns the same bytes as an Arrow buffer, without a copy.
    #[must_use]
    pub fn to_arrow(&self) -> arrow_buffer::Buffer {
        struct Keep(#[allow(dead_code)] Buffer);
        impl std::panic::RefUnwindSafe for Keep {}
        match std::ptr::NonNull::new(self.ptr.cast_mut()) {
            // SAFETY: `Keep` holds the owner, which keeps `nbytes` bytes at `ptr` readable.
            Some(ptr) if self.nbytes > 0 => unsafe {
                arrow_buffer::Buffer::from_custom_allocation(ptr, self.nbytes, Arc::new(Keep(self.clone())))
            },
            _ => arrow_buffer::Buffer::default(),
        }
    }

    /// Returns a part by byte range; `None` if the range passes the end.
    #[must_use]
    pub fn slice(&self, start: usize, nbytes: usize) -> Option<Self> {
        let end = start.checked_add(nbytes)?;
        (end <= self.nbytes).then(|| Self {
            ptr: self.ptr.wrapping_add(start),
            nbytes,
            exclusive: self.exclusive,
            owner: Arc::clone(&self.owner),
        })
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        if self.nbytes == 0 {
            return &[];
        }
        // SAFETY: by the contract of `from_raw` and by the other constructors, the bytes are readable until `owner` drops,
        // and `self` holds it.
        unsafe { std::slice::from_raw_parts(self.ptr, self.nbytes) }
    }

    /// Whether a value of type `T` keeps the bytes alive.
    pub(super) fn is_owned_by<T: Any>(&self) -> bool {
        self.owner.is::<T>()
    }

    /// Equal for buffers that share an owner.
    #[must_use]
    pub fn owner_id(&self) -> usize {
        Arc::as_ptr(&self.owner).cast::<()>() as usize
    }

    /// Address of the first byte.
    #[must_use]
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr
    }

    /// Length in bytes.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Whether nothing else uses the memory, so that the holder of the only reference may write to it.
    #[must_use]
    pub fn is_exclusive(&self) -> bool {
        self.exclusive
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.nbytes)
    }
}
