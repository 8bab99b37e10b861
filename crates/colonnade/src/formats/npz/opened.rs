//! `Opened` for an archive, a directory or a single array.

use arrow_schema::DataType;

use crate::container::npy::Descr;
use crate::container::store::{AnyArray, Holder, MemberInfo, Store, StoreKind};
use crate::decode::Request;
use crate::error::Result;
use crate::formats::{Fact, Facts, Loaded, Opened};
use crate::frame::{Axis, Tags};
use crate::progress::Progress;

impl Opened for Store {
    fn format(&self) -> &'static str {
        if self.holder() == Holder::Zip { "npz" } else { "npy" }
    }

    fn kind(&self) -> &'static str {
        match self.kind() {
            StoreKind::Frame => "frame",
            StoreKind::Savez => "savez",
            StoreKind::Npy => "npy",
            StoreKind::Bundle => "bundle",
            StoreKind::Zip => "zip",
        }
    }

    fn layout(&self) -> &'static str {
        match self.holder() {
            Holder::Zip => "zip",
            Holder::Directory => "directory",
            Holder::Npy => "npy",
        }
    }

    fn shape(&self) -> Result<(usize, usize)> {
        self.shape()
    }

    fn index(&self) -> Result<Axis> {
        Ok(self.cached_axes()?.0.clone())
    }

    fn columns(&self) -> Result<Axis> {
        Ok(self.cached_axes()?.1.clone())
    }

    fn tags(&self) -> Result<&Tags> {
        self.tags()
    }

    fn dtypes(&self) -> Result<Vec<String>> {
        self.dtypes()
    }

    fn arrow_type(&self, position: usize) -> Option<DataType> {
        self.arrow_type(position)
    }

    fn selects_leaves(&self) -> bool {
        true
    }

    fn version(&self) -> Option<u64> {
        self.version()
    }

    fn file_nbytes(&self) -> u64 {
        self.file_nbytes()
    }

    fn nbytes(&self) -> u64 {
        self.nbytes() as u64
    }

    fn load(&self, request: &Request<'_>) -> Result<Loaded> {
        Ok(Loaded::new(self.load(self.cached_axes()?, request)?, request))
    }

    fn holds_blocks(&self) -> bool {
        true
    }

    fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        self.verify(threads, progress)
    }

    fn members(&self) -> Result<Vec<Facts>> {
        Ok(self.members().into_iter().map(member_facts).collect())
    }

    fn labels(&self) -> Result<Vec<String>> {
        self.labels()
    }

    fn open_label(&self, label: &str, _progress: &dyn Progress) -> Result<Box<dyn Opened>> {
        Ok(Box::new(self.open_label(label)?))
    }

    fn array_names(&self) -> Result<Vec<String>> {
        self.array_names()
    }

    fn array(&self, name: &str, threads: usize) -> Result<AnyArray> {
        self.array(name, true, threads)
    }
}

fn member_facts(member: MemberInfo) -> Facts {
    let (descr, order, shape) = match member.array {
        None => (Fact::None, Fact::None, Fact::None),
        Some((descr, fortran_order, shape)) => {
            let dtype = match descr {
                Descr::Scalar(dtype) => dtype.descr().into(),
                structured @ Descr::Struct(_) => Fact::Dtype(structured),
            };
            (dtype, fortran_order.into(), Fact::Shape(shape))
        }
    };
    vec![
        ("name", member.name.into()),
        ("method", member.method.into()),
        ("nbytes", member.nbytes.into()),
        ("compressed_nbytes", member.compressed_nbytes.into()),
        ("offset", member.offset.into()),
        ("crc32", member.crc32.into()),
        ("transform", member.filter.into()),
        ("descr", descr),
        ("fortran_order", order),
        ("shape", shape),
    ]
}
